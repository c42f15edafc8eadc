"""What a finished stack says about new instances, about single ratings, and about the reasons for an estimate."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import IdError, OptionError
from truegrade.models._auto_evidence import beliefs_of
from truegrade.models._auto_stack import stack
from truegrade.models._auto_subset import muted, some_of, voices
from truegrade.models._warm import check_start

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._auto_members import Member
    from truegrade.models._auto_stack import Stack
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["explanation", "lent", "member_parameters", "predicted", "rating_probabilities"]


def member_parameters(members: list[Member], fits: list[Fit]) -> dict[str, NDArray[Any]]:
    """Everything the members can be begun from again; the leader's under their own names."""
    found = {
        f"{member.column}.{name}": array
        for member, fit in zip(members, fits, strict=True)
        if not member.leads
        for name, array in fit.parameters.items()
    }
    return found | dict(fits[-1].parameters) if members[-1].leads else found


def lent(fit: Fit, member: Member) -> Fit:
    """A member's own fit, as far as predictions and warm starts need it."""
    if "members" not in fit.hyperparameters:
        raise OptionError("this fit of auto is a prediction, so it holds no models; pass the fit that it came from")
    prefix = "" if member.leads else f"{member.column}."
    parameters = {
        name.removeprefix(prefix): array
        for name, array in fit.parameters.items()
        if (name.startswith(prefix) if prefix else "." not in name)
    }
    return replace(
        fit,
        model=member.name,
        options=asdict(member.model),  # type: ignore[call-overload]
        parameters=parameters,
        hyperparameters=fit.hyperparameters["members"][member.name],
    )


def predicted(fit: Fit, ratings: Ratings, members: list[Member], voice: Floats) -> tuple[Fit, Stack]:
    """Every member's prediction, stacked with the weights of the fit; and the leader's, which the tables come from.

    voice (N,): 0 for annotators whose ratings are left out.
    """
    check_start("auto", ratings, fit)
    heard = muted(ratings, voice)
    fits = []
    for member in members:
        given, predict = ratings if member.leads else heard, getattr(member.model, "predict", None)
        fits.append(member.model.fit(given) if predict is None else predict(lent(fit, member), given))
    weights = np.array([fit.hyperparameters["weights"][member.name] for member in members])
    return fits[-1], stack(ratings, beliefs_of(ratings, fits, voice), weights, None)


def rating_probabilities(fit: Fit, annotator: NDArray[np.int64], instance: NDArray[np.int64]) -> Floats:
    """P(answer) (P, K): the stack's belief about the instance, and the leader's about the annotator; -1 is unknown."""
    if "confusion" not in fit.parameters:
        raise OptionError("ratings on a real scale have no grades, so there are no probabilities of them")
    confusion, p = fit.parameters["confusion"], fit.posterior.probabilities(fit.scale)
    anyone = np.average(confusion, axis=0, weights=fit.ratings_per_annotator)
    confusion = np.concatenate([confusion, anyone[None]])  # the last serves -1
    p = np.concatenate([p, p.mean(axis=0, keepdims=True)])
    chances: Floats = np.matmul(p[instance][:, None], confusion[annotator])[:, 0]
    return chances


def explanation(fit: Fit, ratings: Ratings, instance: Any, members: list[Member], excluded: Sequence[str]) -> pa.Table:
    """One row per rating of the instance: annotator, rating, points_to, estimate_without, pull.

    Annotators stay as the fit found them. points_to is the estimate from that rating alone, pull what the rating adds
    to the estimate, and estimate_without the estimate less that.
    """
    import pyarrow as pa

    if fit.input_digest != ratings.digest:
        raise OptionError("these are not the ratings that the fit was made from; pass those")
    labels = ratings.instances.labels.to_pylist()
    if instance not in labels:
        raise IdError(f"this fit has no instance '{instance}'; it has '{labels[0]}' and others")
    m = int(ratings.instances.code[labels.index(instance)])
    its = np.arange(ratings.instance_ptr[m], ratings.instance_ptr[m + 1])
    n = its.size
    # Instances made up of its ratings: all of them, each alone, all but each.
    alone, others = np.arange(n), np.nonzero(~np.eye(n, dtype=bool))
    made_up = np.concatenate([np.zeros(n, dtype=int), 1 + alone, 1 + n + others[0]])
    made = some_of(ratings, its[np.concatenate([alone, alone, others[1]])], made_up)
    found = predicted(fit, made, members, voices(made, excluded))
    estimate = np.full(1 + 2 * n, np.nan)
    order = found[0].instance_ids
    estimate[order.labels.to_numpy()] = found[1].posterior.estimate[order.code]
    if n == 1:  # without it there is nothing but what ratings are like
        estimate[2] = np.average(ratings.values(), weights=ratings.weight)
    pull = estimate[0] - estimate[1 + n :]
    return pa.table(
        {
            "annotator": ratings.annotators.labels_of(ratings.annotator[its]),
            "rating": ratings.scale.cells(ratings.grade[its]),
            "points_to": estimate[1 : 1 + n],
            "estimate_without": fit.posterior.estimate[m] - pull,
            "pull": pull,
        }
    )
