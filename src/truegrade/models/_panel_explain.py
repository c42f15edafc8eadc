"""Why the panel estimates what it does: an instance's ratings, and what each of them moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import IdError, OptionError
from truegrade.models._panel_problem import PanelProblem, place_panel
from truegrade.models._panel_resume import resumed
from truegrade.models._panel_truth import PanelEnd, log_predictive

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._panel_part import PanelPart
    from truegrade.models.ordinal_panel import OrdinalPanel
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["explanation"]


def explanation(model: OrdinalPanel, fit: Fit, ratings: Ratings, instance: Any) -> pa.Table:
    """One row per rating of the instance: annotator, rating, points_to, estimate_without, pull.

    points_to is the estimate from that rating alone, pull what the rating adds to the others by the formula that takes
    annotators one by one, estimate_without the fit's estimate less that.
    """
    import pyarrow as pa

    if fit.input_digest != ratings.digest:
        raise OptionError("these are not the ratings that the fit was made from; pass those")
    labels = ratings.instances.labels.to_pylist()
    if instance not in labels:
        raise IdError(f"this fit has no instance '{instance}'; it has '{labels[0]}' and others")
    m = int(ratings.instances.code[labels.index(instance)])
    its = slice(int(ratings.instance_ptr[m]), int(ratings.instance_ptr[m + 1]))
    with place_panel(model, ratings, None, fresh=False) as placed:
        state = resumed(PanelProblem.of(model, placed, None), fit)
        end = PanelEnd(state.rows, state.message, counted=True)
        (about,) = placed.each(_about, None, (end, m))
    log_prior, weight, evidence = about
    log_prior = log_prior + fit.parameters.get("shift", 0.0)
    rho, grid = float(fit.hyperparameters["dependence"]), state.problem.grid
    values = np.interp(grid.position, np.arange(ratings.scale.n_grades), ratings.scale.array)

    def estimate(kept: Floats) -> float:
        worth = 1 / (1 + rho * max(kept.sum() - 1, 0.0))
        log_q = log_prior + worth * (kept @ evidence)
        q = np.exp(log_q - log_q.max())
        return float(grid.places(q) @ values / q.sum())

    one = np.eye(weight.size) * weight
    whole = estimate(weight)
    pull = [whole - estimate(weight - row) for row in one]
    estimated = float(fit.posterior.estimate[m])
    return pa.table(
        {
            "annotator": ratings.annotators.labels_of(ratings.annotator[its]),
            "rating": ratings.scale.cells(ratings.grade[its]),
            "points_to": [estimate(row) for row in one],
            "estimate_without": [estimated - each for each in pull],
            "pull": pull,
        }
    )


def _about(part: PanelPart, _: None, message: tuple[PanelEnd, int]) -> tuple[Floats, Floats, Floats]:
    """The prior of an instance's nodes (G,), the weights of its ratings (n,) and what each tells (n, G)."""
    end, m = message
    its = slice(int(part.ratings.instance_ptr[m]), int(part.ratings.instance_ptr[m + 1]))
    return end.sweep.log_prior[part.rows_of_prior()[m]], part.weight[its], log_predictive(part, end, its)
