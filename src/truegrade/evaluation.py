"""How good a truth table is, measured against gold."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade import metrics
from truegrade.errors import GoldError
from truegrade.gold import Gold
from truegrade.joining import join
from truegrade.ranking import ndcg
from truegrade.scale import Scale
from truegrade.truth_table import TruthTable, scale_of_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """Figures of estimates against gold; None where one is not defined."""

    mse: float | None
    mae: float | None
    pearson: float | None
    spearman: float | None
    accuracy: float | None
    kappa: float | None  # weighted by squared distance
    ndcg: float | None  # gain = grade index, discount 1 / max(1, log2 rank)
    ndcg_exponential: float | None  # gain = 2^index - 1, discount 1 / log2(1 + rank)
    log_loss: float | None
    coverage: float | None  # share of gold inside [lower, upper]
    n_gold: int  # instances with gold
    n_scored: int  # those of them that have an estimate
    notes: tuple[str, ...] = ()  # what was left out or joined in an unusual way, in plain sentences

    def to_json(self) -> dict[str, float | int | None]:
        """Every figure by its name, without the notes."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "notes"}


def evaluate(
    truth: Any,
    gold: Any,
    *,
    scale: Scale | str | Sequence[Any] | None = None,
    one_list: bool = False,
    cutoff: int | None = None,
) -> Evaluation:
    """Compare a truth table with gold.

    Args:
        truth: a Fit, or a truth table as a pandas, polars or pyarrow frame; cells may be text.
        gold: Gold, a frame with a gold column, or a mapping from instance to value.
        scale: the grades, low to high; by default the Fit's, else what the ``p_`` columns are called.
        one_list: rank all instances as one list, instead of per category, for NDCG.
        cutoff: NDCG counts the first so many ranks alone.

    >>> import pyarrow as pa
    >>> truth = pa.table({"instance": ["x", "y", "z"], "estimate": [1.0, 2.0, 2.0]})
    >>> found = evaluate(truth, {"x": 1, "y": 3}, scale="1..3")
    >>> found.mse, found.accuracy, found.n_scored
    (0.5, 0.5, 2)
    >>> found.notes[0]
    '1 of 3 instances in the truth table have no gold'
    """
    table, scale, notes = _opened(truth, scale)
    known = Gold.of(gold, scale=scale)
    known.check(scale)
    at, value = _scored(table, known, notes)
    estimate, span = table.estimate[at], scale.high - scale.low
    within = ~np.isnan(table.lower[at] + table.upper[at])
    groups = np.zeros(at.size, dtype=np.int32) if one_list else None
    if groups is None and table.category is not None:
        groups = table.category[at]
    if groups is None and not scale.is_real:
        notes.append("without categories NDCG needs --one-list (one_list=True), which ranks all instances together")
    ranks = None if groups is None or scale.is_real else _index(value, scale)
    return Evaluation(
        mse=metrics.mse(estimate, value),
        mae=metrics.mae(estimate, value),
        pearson=metrics.pearson(estimate, value),
        spearman=metrics.spearman(estimate, value, span),
        **_of_grades(table, scale, at, value, notes),
        ndcg=None if ranks is None else ndcg(estimate, ranks, groups, cutoff=cutoff, span=span),
        ndcg_exponential=None
        if ranks is None
        else ndcg(estimate, ranks, groups, exponential=True, cutoff=cutoff, span=span),
        coverage=metrics.coverage(table.lower[at][within], table.upper[at][within], value[within]),
        n_gold=len(known),
        n_scored=at.size,
        notes=tuple(notes),
    )


def _opened(truth: Any, scale: Scale | str | Sequence[Any] | None) -> tuple[TruthTable, Scale, list[str]]:
    """The truth table, its scale, and the first notes."""
    import narwhals as nw

    is_frame = nw.dependencies.is_into_dataframe(truth)  # asked first: a frame may have a column called truth
    table = TruthTable.read(truth if is_frame else getattr(truth, "truth", truth))
    if scale is not None:
        return table, Scale.of(scale), []
    if not is_frame:
        return table, truth.scale, []
    found = scale_of_columns(list(table.cells))
    unnumbered = f"the scale {found} comes from the p_ columns, its grades count as 1 to {found.n_grades}"
    return table, found, [] if found.numbered else [unnumbered]


def _scored(table: TruthTable, gold: Gold, notes: list[str]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows of the truth table that have gold and an estimate (n_scored,), and their gold."""
    joined = join(table.ids.labels, gold.instances, table.ids.objects, gold.objects)
    position = joined.position[table.ids.index]  # (n,): which gold each row has
    has_gold, has_estimate = position >= 0, np.isfinite(table.estimate)
    at = np.flatnonzero(has_gold & has_estimate)
    at = at[np.argsort(table.ids.table().code[table.ids.index[at]])]  # the order of the rows changes no bit of a sum
    if joined.by_text:
        notes.append("the ids of gold and truth table differ in type and were joined by their text")
    met = int(np.count_nonzero(has_gold))
    if not met:
        raise GoldError(
            f"{gold.where}: none of its instances is in the truth table: it has '{gold.instances[0]}', "
            f"the truth table has '{table.ids.labels[0]}'; make the ids match"
        )
    for count, whole, sentence in (
        (len(gold) - met, len(gold), "instances with gold have no ratings"),
        (int(np.count_nonzero(~has_gold)), has_gold.size, "instances in the truth table have no gold"),
        (met - at.size, met, "instances with gold have no estimate"),
        (gold.n_blank, len(gold) + gold.n_blank, "rows of gold are blank and were skipped"),
    ):
        if count:
            notes.append(f"{count} of {whole} {sentence}")
    return at, gold.values[position[at]]


def _index(value: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
    """Where gold stands among the grades 1 .. K, in between for gold between two."""
    return np.asarray(np.interp(value, scale.array, np.arange(1.0, scale.n_grades + 1)))


def _of_grades(
    table: TruthTable, scale: Scale, at: NDArray[np.intp], value: NDArray[np.float64], notes: list[str]
) -> dict[str, float | None]:
    """The figures that compare grades; a real scale has none."""
    if scale.is_real:
        return dict.fromkeys(("accuracy", "kappa", "log_loss"))
    gold = scale.nearest(value).astype(np.int64)
    between = int(np.count_nonzero(scale.array[gold] != value))
    if between:
        notes.append(
            f"{between} gold values lie between grades; accuracy, kappa and log-loss take the nearest, the lower of two"
        )
    grade = table.grade(scale)[at]
    posterior = table.posterior(scale)
    loss = None
    if posterior is not None:
        p = posterior[at]
        known = ~np.isnan(p).any(axis=1)
        loss = metrics.log_loss(p[known], gold[known])
        if 0 < np.count_nonzero(known) < at.size:
            notes.append(f"log-loss rests on the {np.count_nonzero(known)} of {at.size} instances that have p_ values")
    elif any(name.startswith("p_") for name in table.cells):
        notes.append(f"the p_ columns are not those of the scale {scale}, so there is no log-loss")
    return {
        "accuracy": metrics.accuracy(grade, gold),
        "kappa": metrics.kappa(grade, gold, scale.array),
        "log_loss": loss,
    }
