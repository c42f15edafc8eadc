"""What models on `table_sweep` have in common: options, starts, warm starts, predictions, and the end as a Fit."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truegrade.engines import engine_for
from truegrade.errors import OptionError
from truegrade.fit import Status
from truegrade.fit_parts import whole_fit
from truegrade.inference.categorical import PooledRows, SmoothedRows
from truegrade.models._base import check_met, checked_inputs
from truegrade.models._em import Outcome, StopRule, ascend_all
from truegrade.models._grade_fit import grade_head
from truegrade.models._journal import journal_of
from truegrade.models._notes import about_grades, lost_grades
from truegrade.models._options import check_choices, check_positive
from truegrade.models._table_ascent import TableAscent
from truegrade.models._table_problem import TablePart
from truegrade.models._warm import check_start, meeting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from truegrade.engines import Engine, Placed, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.inference.categorical import Rows
    from truegrade.inference.cells import Cells
    from truegrade.models._base import Progress
    from truegrade.models._journal import Journal, Keeper
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["TableModel"]

_BLOCK = 65_536  # pairs, whose confusion matrices are gathered at once


@dataclass(frozen=True, kw_only=True)
class TableModel:
    """A truth that is one of K grades, and per annotator rows of probabilities that make a confusion matrix.

    prior: counts that are added to every cell of the rows; 0 is maximum likelihood.
    pooled: draw annotators from a population that is learned with them, instead of adding the same counts to all.
    concentration: how many ratings the population is worth for each annotator, when pooled.
    class_prior: the prevalence of the grades is learned, or uniform. "auto" learns it, and falls back to uniform where
        the truths run together into fewer grades than the ratings have.
    starts, seed: start 0 begins at the shares of the votes, the others trust annotators by chance; the best bound wins.
        None: 1 without pooling, the classical algorithm; 10 with it.
    tolerance: stop when ten passes moved the bound by less than this share of it.
    """

    name: ClassVar[str]
    prior: float = 1.0
    pooled: bool = False
    concentration: float | Literal["learn"] = "learn"
    class_prior: Literal["auto", "learned", "uniform"] = "auto"
    starts: int | None = None
    seed: int = 0
    tolerance: float = 1e-8
    max_iterations: int = 1000

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, ("concentration", "starts", "tolerance", "max_iterations"))
        if not 0 <= self.prior < np.inf:
            raise OptionError(f"prior={self.prior}: counts to add must be 0 or a positive number")
        if self.concentration != "learn" and not self.pooled:
            raise OptionError("concentration is that of a population of annotators; it goes with pooled=true")

    @abstractmethod
    def cells(self, grades: int) -> Cells:
        """What an annotator's rows are."""

    def fit(
        self,
        ratings: Ratings | ShardedRatings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
        *,
        engine: Engine | None = None,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Infer truths and confusion matrices.

        gold: truths that are known; they stand at their nearest grade, and tell about annotators.
        start: an earlier fit to begin from; annotators that it does not know begin without counts.
        progress: called after every pass with (iteration, bound, change); raise to stop.
        engine: where the passes run; None: where the ratings are.
        checkpoint: keeps how far the fit has come in a file.
        """
        gold = checked_inputs(ratings, gold)
        journal = journal_of(checkpoint, self, ratings, gold, start)
        starts = self.starts or (10 if self.pooled else 1)
        with self._placed(ratings, gold, starts, engine) as placed:
            found = placed.sums(TablePart.gold, None, None)
            check_met(gold, found.met, ratings)
            return self._fit(placed, start, starts, found.rounded, progress, journal)

    def _placed(
        self, ratings: Ratings | ShardedRatings, gold: Gold | None, starts: int, engine: Engine | None = None
    ) -> Placed:
        if ratings.scale.is_real:
            raise OptionError(f"{self.name} needs grades; for ratings on a real scale choose continuous")
        return engine_for(ratings, engine).place(ratings, partial(TablePart.of, gold=gold), starts=starts)

    def _fit(
        self,
        placed: Placed,
        start: Fit | None,
        starts: int,
        rounded: int,
        progress: Progress | None,
        journal: Journal | None = None,
    ) -> Fit:
        def run(starts: int, begin: Any) -> tuple[Outcome, list[tuple[float, Status]]]:
            rule = StopRule(self.tolerance, max_iterations=self.max_iterations)
            return ascend_all(
                begin, starts, rule, monotone=True, workers=placed.together, progress=progress, journal=journal
            )

        notes: list[str] = []

        def climb(starts: int, begin: Callable[[int, bool], TableAscent], learned: bool) -> Any:
            best, endings = run(starts, lambda index: begin(index, learned))
            state: TableAscent = best.state  # type: ignore[assignment]
            if learned and self.class_prior == "auto" and (lost := lost_grades(placed.ratings, state.prevalence)):
                notes.append(
                    f"with a learned prevalence hardly any truth is {', '.join(lost)}: fitted with a uniform one"
                )
                best, endings = run(starts, lambda index: begin(index, False))
            return best, endings

        learned = self.class_prior != "uniform"
        if start is not None:
            # "auto" does not try again what the earlier fit found to run together.
            tried = self.class_prior == "auto" and bool(np.ptp(start.parameters.get("prevalence", 0.0)) == 0)
            best, endings = climb(1, lambda _, learned: self._resumed(placed, start, learned), learned and not tried)
            if not best.state.mirrored():
                return self._end(best, endings, rounded, notes)
            notes[:] = ["the earlier fit leads against the ratings: begun anew from the votes"]
        best, endings = climb(starts, lambda index, learned: self._fresh(placed, index, learned), learned)
        return self._end(best, endings, rounded, notes)

    def predict(self, fit: Fit, ratings: Ratings | ShardedRatings) -> Fit:
        """The truth of new instances, rated by annotators of an earlier fit, who stay as that fit found them."""
        with self._placed(ratings, None, 1) as placed:
            state = self._resumed(placed, fit, None)
            bound = state.end().log_z
            return self._end(Outcome(0, state, Status.CONVERGED, [bound]), [(bound, Status.CONVERGED)], 0)

    def rating_probabilities(self, fit: Fit, annotator: NDArray[np.int64], instance: NDArray[np.int64]) -> Floats:
        """P(answer) (P, K) should annotator[i] rate instance[i]; -1 stands for anyone, or anything, unknown."""
        anyone = self._unknown(fit, 1).mean
        cells = self.cells(fit.scale.n_grades)
        confusion = np.concatenate([fit.parameters["confusion"], cells.confusion(anyone)])  # the last serves -1
        p = np.concatenate([fit.posterior.probabilities(fit.scale), fit.parameters["prevalence"][None, :]])
        chances = np.empty((annotator.size, cells.grades))
        for begin in range(0, annotator.size, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            np.einsum("pk,pkj->pj", p[instance[block]], confusion[annotator[block]], out=chances[block])
        return chances

    def _unknown(self, earlier: Fit, annotators: int) -> Rows:
        """The rows of annotators of whom an earlier fit has no counts."""
        cells = self.cells(earlier.scale.n_grades)
        rows = self._rows(cells.rows(np.zeros((annotators, cells.grades, cells.grades))), cells)
        if isinstance(rows, PooledRows) and "population" in earlier.parameters:
            rows = replace(rows, population=earlier.parameters["population"])
        return rows

    def _rows(self, counts: Floats, cells: Cells) -> Rows:
        """The rows before anything is known about a population."""
        if not self.pooled:
            return SmoothedRows(counts, self.prior * cells.alike)
        learned = self.concentration == "learn"
        size = 10.0 if isinstance(self.concentration, str) else self.concentration
        shares = counts.sum(axis=0) + cells.alike
        shares /= shares.sum(axis=1, keepdims=True)
        return PooledRows(counts, size * shares, None if learned else size)

    def _fresh(self, placed: Placed, index: int, learned: bool) -> TableAscent:
        """Start 0 begins at the shares of the votes; in every other annotators have votes of random weight.

        The weights are exponential, as in the Bayesian bootstrap: every start trusts other annotators.
        """
        trust = None
        if index > 0:
            rng = np.random.default_rng((self.seed, index))
            trust = rng.exponential(size=placed.ratings.n_annotators) + 1e-3
        sums = placed.sums(TablePart.votes, None, trust)
        cells = self.cells(placed.ratings.scale.n_grades)
        rows = self._rows(cells.rows(sums.counts), cells)
        state = TableAscent(placed, cells, rows, np.full(cells.grades, 1 / cells.grades), learned)
        state.update(sums)
        return state

    def _resumed(self, placed: Placed, earlier: Fit, learned: bool | None) -> TableAscent:
        """Where an earlier fit ended. learned: the prevalence; None: it stays as it is, else it is uniform."""
        check_start(self.name, placed.ratings, earlier)
        rows, cells = self._unknown(earlier, placed.ratings.n_annotators), self.cells(earlier.scale.n_grades)
        here, there = meeting(placed.ratings.annotators, earlier.annotator_ids)
        old = earlier.parameters["counts"]
        if old.shape[1:] != rows.counts.shape[1:]:
            raise OptionError(f"the earlier fit of {self.name} has other errors=; fit both with the same")
        rows.counts[here] = old[there]
        prevalence = earlier.parameters["prevalence"]
        if learned is False:
            prevalence = np.full(cells.grades, 1 / cells.grades)
        return TableAscent(placed, cells, rows, prevalence, bool(learned))

    def _end(self, best: Outcome, endings: list[tuple[float, Status]], rounded: int, notes: Sequence[str] = ()) -> Fit:
        state: TableAscent = best.state  # type: ignore[assignment]
        placed, ratings, end = state.placed, state.placed.ratings, state.end()
        parameters = {"counts": state.rows.counts, "prevalence": state.prevalence}
        hyperparameters: dict[str, Any] = {"prevalence": state.prevalence.tolist()}
        if isinstance(state.rows, PooledRows):
            parameters["population"] = state.rows.population
            hyperparameters["concentration"] = state.rows.population.sum(axis=1).tolist()
        told = [*notes, *about_grades(ratings, state.prevalence, rounded)]
        each = end.counts.sum(axis=(1, 2))  # (N,)
        if isinstance(state.rows, PooledRows) and state.rows.outweighs(each.max()):
            told.append(
                "annotators cannot be told apart: the learned concentration grows without end, so all count nearly "
                "alike; fix it, as in concentration=10"
            )
        if not self.pooled and np.median(each) < state.rows.counts[0].size:
            told.append("half of the annotators gave fewer ratings than they have probabilities: try pooled=true")
        head = grade_head(
            self,
            ratings,
            end.truths,
            placed.sums(TablePart.agreement, None, None),
            confusion=state.cells.confusion(state.rows.mean),
            counts=end.counts,
            nodes=ratings.scale.array,
            best=best,
            endings=endings,
            parameters=parameters,
            hyperparameters=hyperparameters,
            notes=told,
        )
        return whole_fit(ratings, head, placed.each(TablePart.answer, None, state.message))
