"""Spam for real ratings: fake annotators who grade at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import Columns, ObjectIds
from truegrade.encode import encode
from truegrade.errors import OptionError
from truegrade.seeds import check_seed
from truegrade.simulation.seating import deal

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings

__all__ = ["with_spam"]


def with_spam(ratings: Ratings, per_instance: int = 3, seed: int = 0) -> Ratings:
    """The ratings, and so many fake ones on every instance, each grade as likely as any other.

    There are as many fake annotators, fake1, fake2 and so on, as make them as busy on average as the real ones.
    Fake ratings have weight 1 and no timestamp; on a real scale they are uniform over its range.

    >>> from truegrade.simulation import simulate
    >>> with_spam(simulate(instances=20, annotators=5).ratings, per_instance=2)
    Ratings(120 ratings of 20 instances by 7 annotators on 1..5)
    """
    check_seed(seed)
    if per_instance < 0:
        raise OptionError(f"per_instance must be 0 or more, not {per_instance}")
    if per_instance == 0:
        return ratings
    rng = np.random.default_rng(seed)
    n_fake_ratings = ratings.n_instances * per_instance
    as_busy = round(n_fake_ratings * ratings.n_annotators / ratings.n_ratings)
    n_fake = max(per_instance, as_busy)  # fewer would have to rate an instance twice
    fake = deal(np.full(ratings.n_instances, per_instance), np.full(n_fake, 1 / n_fake), rng)

    order = np.argsort(ratings.row)  # real rows as they came, so that labels keep their order; then the fake ones
    instance = np.repeat(np.arange(ratings.n_instances), per_instance)
    instance = np.concatenate([ratings.instance_of()[order], instance])
    annotator = np.concatenate(
        [np.argsort(ratings.annotators.code)[ratings.annotator[order]], fake + ratings.n_annotators]
    )
    columns = Columns(
        ratings.where,
        annotator=_column(ratings.annotators, annotator, _fake_ids(ratings.annotators, n_fake)),
        instance=_column(ratings.instances, np.argsort(ratings.instances.code)[instance]),
        rating=_rating_column(ratings, order, n_fake_ratings, rng),
        library=ratings.library,
    )
    if ratings.categories is not None and ratings.category is not None:
        columns.category = _column(ratings.categories, np.argsort(ratings.categories.code)[ratings.category[instance]])
    if ratings.weight is not None:
        columns.weight = _chunked(np.concatenate([ratings.weight[order], np.ones(n_fake_ratings)]))
    if ratings.timestamp is not None:
        none = np.full(n_fake_ratings, "NaT" if ratings.timestamp.dtype.kind == "M" else "nan")
        columns.timestamp = _chunked(np.concatenate([ratings.timestamp[order], none.astype(ratings.timestamp.dtype)]))
    return encode(columns, scale=ratings.scale)


def _fake_ids(real: IdTable, n_fake: int) -> list[str]:
    """fake1, fake2, ..., leaving out what real annotators are called."""
    taken = {text for text in real.texts().to_pylist() if text.startswith("fake")}
    names = (f"fake{i}" for i in range(1, n_fake + len(taken) + 1))
    return [name for name in names if name not in taken][:n_fake]


def _column(ids: IdTable, index: NDArray[np.intp], more: list[str] | None = None) -> pa.ChunkedArray | ObjectIds:
    """A column of ids; `index` (L,) counts the labels, then the further ids."""
    import pyarrow as pa

    text = pa.types.is_string(ids.labels.type) or pa.types.is_large_string(ids.labels.type)
    if ids.objects is not None or (more and not text):  # 1 and "fake1" together are ids of mixed types
        return ObjectIds([*(ids.objects or ids.labels.to_pylist()), *(more or [])], index.astype(np.int32))
    labels = pa.concat_arrays([ids.labels, pa.array(more or [], ids.labels.type)])
    return pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), labels)])


def _rating_column(ratings: Ratings, order: NDArray[np.intp], n_fake: int, rng: np.random.Generator) -> pa.ChunkedArray:
    import pyarrow as pa

    scale = ratings.scale
    if scale.is_real:
        return _chunked(np.concatenate([ratings.real[order], rng.uniform(scale.low, scale.high, n_fake)]))
    grade = np.concatenate([ratings.grade[order], rng.integers(0, scale.n_grades, n_fake, dtype=np.uint8)])
    return pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array(grade), pa.array(scale.labels))])


def _chunked(array: NDArray[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array([pa.array(array, from_pandas=True)])
