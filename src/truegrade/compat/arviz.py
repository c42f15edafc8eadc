"""A fit as ArviZ knows results: draws of what it is unsure about, its points, and the ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import truegrade
from truegrade.compat._draws import annotator_draws, points, truth_draws
from truegrade.errors import OptionError
from truegrade.seeds import check_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings

__all__ = ["to_arviz"]


def to_arviz(fit: Fit, ratings: Ratings | None = None, *, draws: int = 250, chains: int = 4, seed: int = 0) -> Any:
    """The fit as ArviZ's InferenceData, or as the DataTree that ArviZ 1 uses in its place.

    posterior: independent draws from what the fit believes, cut into chains since ArviZ wants some. constant_data: what
    it knows as points only. observed_data: the ratings, if given, which must be those of the fit.
    """
    check_seed(seed)
    if draws < 1 or chains < 1:
        raise OptionError(f"draws={draws}, chains={chains}: at least one of each is needed")
    if ratings is not None and ratings.digest != fit.input_digest:
        raise OptionError("these are not the ratings that the fit was made from; pass those")
    try:
        import xarray
    except ImportError:
        raise OptionError("ArviZ is not installed; pip install 'truegrade[arviz]'") from None
    truth = truth_draws(fit, draws * chains, np.random.default_rng((seed, 0)))
    drawn = {"truth": (("instance",), truth)} | annotator_draws(fit, draws * chains, np.random.default_rng((seed, 1)))
    shape = {"chain": np.arange(chains), "draw": np.arange(draws)}
    posterior = {
        name: (("chain", "draw", *dims), _by_appearance(fit, array.reshape(chains, draws, *array.shape[1:]), dims, 2))
        for name, (dims, array) in drawn.items()
    }
    groups = {"posterior": (posterior, shape)}
    known = {name: (dims, _by_appearance(fit, array, dims, 0)) for name, (dims, array) in points(fit).items()}
    if known:
        groups["constant_data"] = (known, {})
    if ratings is not None:
        groups["observed_data"] = (_observed(ratings), {})
    told = {
        "inference_library": "truegrade",
        "inference_library_version": truegrade.__version__,
        "model": fit.model,
        "status": str(fit.status),
    }
    labels = _labels(fit)
    return _as_arviz(
        {
            name: xarray.Dataset(variables, coords=extra | _used(labels, variables), attrs=told)
            for name, (variables, extra) in groups.items()
        }
    )


def _as_arviz(groups: dict[str, Any]) -> Any:
    """InferenceData where ArviZ has it (before 1), else a DataTree."""
    try:
        from arviz import InferenceData
    except ImportError:
        import xarray

        return xarray.DataTree.from_dict(groups)
    return InferenceData(**groups)


def _by_appearance(fit: Fit, array: NDArray[Any], dims: tuple[str, ...], skip: int) -> NDArray[Any]:
    """Each dimension of ids from the order of the codes to that of the tables; `skip` dimensions come before them."""
    for axis, dim in enumerate(dims, start=skip):
        ids = _ids(fit).get(dim)
        if ids is not None:
            array = np.take(array, ids.code, axis=axis)
    return array


def _ids(fit: Fit) -> dict[str, IdTable | None]:
    return {"instance": fit.instance_ids, "annotator": fit.annotator_ids, "category": fit.category_ids}


def _labels(fit: Fit) -> dict[str, NDArray[Any]]:
    """The coordinates: ids in the order of the tables, grades as they are called."""
    ids = {dim: _plain(table) for dim, table in _ids(fit).items() if table is not None}
    grades = np.array(fit.scale.labels if fit.scale.names else fit.scale.values)
    return ids | {"true_grade": grades, "said_grade": grades}


def _plain(ids: IdTable) -> NDArray[Any]:
    """Numbers stay numbers, all else is text."""
    import pyarrow as pa

    numbers = ids.objects is None and (pa.types.is_integer(ids.labels.type) or pa.types.is_floating(ids.labels.type))
    labels = ids.labels if numbers else ids.texts()
    array: NDArray[Any] = labels.to_numpy(zero_copy_only=False)
    return array if numbers else array.astype(np.str_)


def _used(labels: dict[str, NDArray[Any]], variables: dict[str, Any]) -> dict[str, NDArray[Any]]:
    dims = {dim for of, _ in variables.values() for dim in of}
    return {dim: array for dim, array in labels.items() if dim in dims}


def _observed(ratings: Ratings) -> dict[str, Any]:
    """The ratings in the order of the input's rows."""
    rows = np.argsort(ratings.row)
    instance, annotator = ratings.instance_of()[rows], ratings.annotator[rows]
    return {
        "rating": (("row",), ratings.values()[rows]),
        "rated_instance": (("row",), _plain(ratings.instances)[np.argsort(ratings.instances.code)][instance]),
        "rated_by": (("row",), _plain(ratings.annotators)[np.argsort(ratings.annotators.code)][annotator]),
    }
