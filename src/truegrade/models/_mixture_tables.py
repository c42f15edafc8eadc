"""The end of an ordinal mixture: its state as a Fit, with the warnings that help."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.fit import Fit, Status
from truegrade.fit_parts import Head, whole_fit
from truegrade.models._mixture_part import MixturePart, ease_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.inference.counting import AgreementSums
    from truegrade.models._em import Outcome
    from truegrade.models._mixture_ascent import MixtureAscent
    from truegrade.models._mixture_part import MixtureEnd
    from truegrade.models._mixture_problem import MixtureProblem
    from truegrade.models.ordinal_mixture import OrdinalMixture

    Floats = NDArray[np.float64]

__all__ = ["mixture_fit"]

_SPAMMER = 0.05  # an earnestness below this says that all ratings are spam
_FEW_RATINGS = 5.0  # per annotator (median); below this annotators can hardly be told apart
_POINT = 400.0  # from here on a learned gamma spreads by less than 5 %, truths by less than .05 grades
_NAMED = 5


def mixture_fit(
    model: OrdinalMixture, problem: MixtureProblem, best: Outcome, endings: list[tuple[float, Status]]
) -> Fit:
    """Everything the winning start found."""
    ascent: MixtureAscent = best.state  # type: ignore[assignment]
    placed, h = problem.placed, ascent.hyper
    end = placed.sums(MixturePart.end, ascent.states, None)
    hyperparameters: dict[str, Any] = {
        name: float(getattr(h, name)) for name in ("alpha", "beta", "phi", "eta", "mu", "lam")
    }
    eases = _eases_of_categories(ascent) if model.difficulty == "category" else None
    head = Head(
        model=model.name,
        options=asdict(model),
        status=best.status,
        annotator_columns=_annotator_columns(ascent, end),
        category_columns=_category_columns(ascent, end, eases),
        parameters=_parameters(ascent, eases),
        hyperparameters={
            **hyperparameters,
            "pi": h.pi.tolist(),
            "mean_responsibility": ascent.mean_responsibility(),
            **({"spam_range": problem.thresholds.tolist()} if placed.ratings.scale.is_real else {}),
        },
        all_spam_bound=ascent.all_spam_bound() if model.spam else None,
        iterations=len(best.trace),
        trace=np.array(best.trace),
        bounds=tuple(bound for bound, _ in endings),
        seed=model.seed,
        notes=(*placed.ratings.notes(), *_notes(model, ascent, best, endings)),
    )
    return whole_fit(placed.ratings, head, placed.each(MixturePart.answer, ascent.states, model.difficulty))


def _eases_of_categories(ascent: MixtureAscent) -> tuple[Floats, Floats]:
    """Shape and rate of q(delta) of every category (C,)."""
    placed = ascent.problem.placed
    shape, rate = np.empty((2, placed.ratings.n_categories))
    for here, its_shape, its_rate in placed.each(MixturePart.eases_of_categories, ascent.states, None):
        shape[here.start : here.stop], rate[here.start : here.stop] = its_shape, its_rate
    for category, delta in ascent.split.items():
        shape[category], rate[category] = delta
    return shape, rate


def _parameters(ascent: MixtureAscent, eases: tuple[Floats, Floats] | None) -> dict[str, Floats]:
    parameters = {"tau_shape": ascent.tau_shape, "tau_rate": ascent.tau_rate, "eps": ascent.earnest.eps}
    if eases is not None:
        return parameters | {"delta_shape": eases[0], "delta_rate": eases[1]}
    if ascent.problem.model.difficulty == "instance":  # they come with the answers
        return parameters
    return parameters | {"delta": np.array(ascent.delta)}


def _annotator_columns(ascent: MixtureAscent, end: MixtureEnd) -> dict[str, Floats]:
    placed = ascent.problem.placed
    expertise = ascent.tau_shape / ascent.tau_rate
    columns = {
        "spamminess": 1 - ascent.earnest.eps,
        "expertise": expertise,
        "earnestness": ascent.earnest.eps,
        "expertise_sd": np.sqrt(ascent.tau_shape) / ascent.tau_rate,
    }
    if not placed.ratings.scale.is_real:
        agreement: AgreementSums = placed.sums(MixturePart.agreement, None, None)
        columns |= {"agreement": agreement.share, "expected_agreement": _expected(ascent, end, expertise)}
    return columns


def _expected(ascent: MixtureAscent, end: MixtureEnd, expertise: Floats) -> Floats:
    """How often each annotator names the true grade (N,): truths spread as estimated, difficulty average."""
    from scipy.special import ndtr

    problem, scale = ascent.problem, ascent.problem.placed.ratings.scale
    share = end.grades / end.grades.sum()
    root = np.sqrt(expertise * _mean_ease(ascent))[:, None]
    bounds = scale.thresholds_with("infinite")
    right = ndtr((bounds[1:] - scale.array) * root) - ndtr((bounds[:-1] - scale.array) * root)  # (N, K)
    eps = ascent.earnest.eps[:, None]
    expected: Floats = (eps * right + (1 - eps) * ascent.hyper.pi[: scale.n_grades]) @ share
    return expected if problem.model.spam else right @ share


def _mean_ease(ascent: MixtureAscent) -> float:
    model = ascent.problem.model
    if model.difficulty != "none":
        return ascent.ease_means()[0]
    return model.ease or ascent.delta[0] / ascent.delta[1]


def _category_columns(ascent: MixtureAscent, end: MixtureEnd, eases: tuple[Floats, Floats] | None) -> dict[str, Floats]:
    """Ease and difficulty per category; with an ease per instance, their average over the category's instances."""
    if eases is not None:
        return ease_columns(*eases)
    if ascent.problem.model.difficulty == "none" or ascent.problem.placed.ratings.categories is None:
        return {}
    ease = end.ease_of_category / end.instances_of_category
    return {"ease": ease, "difficulty": 1 / ease}


def _notes(
    model: OrdinalMixture, ascent: MixtureAscent, best: Outcome, endings: list[tuple[float, Status]]
) -> list[str]:
    ratings = ascent.problem.placed.ratings
    notes = []
    if best.status is Status.SPAM_COLLAPSE:
        notes.append("every start ended by calling nearly all ratings spam: do not use this fit; try epsilon_prior=1,1")
    elif best.status is Status.MAX_ITER and all(status is not Status.CONVERGED for _, status in endings):
        notes.append(f"no start converged in {model.max_iterations} iterations; raise max_iterations")
    if best.falls and model.responsibility == "printed":
        notes.append(f"the bound fell in {best.falls} passes, as the printed update may let it")
    if model.responsibility == "printed" and model.thresholds == "infinite" and model.link == "ordinal":
        notes.append("the printed update with infinite thresholds is known to fail; choose finite ones or exact")
    spammers = np.flatnonzero((ascent.earnest.eps < _SPAMMER) & ascent.earnest.learned)
    if spammers.size:
        named = ", ".join(f"'{ratings.annotators.label_of(int(n))}'" for n in spammers[:_NAMED])
        more = f" and {spammers.size - _NAMED} more" if spammers.size > _NAMED else ""
        notes.append(f"all ratings judged spam: {spammers.size} annotators ({named}{more})")
    notes += _limits(model, ascent)
    if np.median(ascent.problem.weight_of_annotator) < _FEW_RATINGS:
        notes.append("half of the annotators gave fewer than 5 ratings: they can hardly be told apart")
    agreement = ascent.moments().correlation
    if agreement < 0:
        notes.append(f"the estimates run against the mean of the ratings (correlation {agreement:.2f}): distrust them")
    if not ratings.scale.numbered:
        notes.append(f"the grades have no numbers, so {ratings.scale} count as 1 to {ratings.scale.n_grades}")
    return notes


def _limits(model: OrdinalMixture, ascent: MixtureAscent) -> list[str]:
    """Learned priors that are narrower than anything the data can tell."""
    notes, h = [], ascent.hyper
    for shape, rate, of, alike in (
        ("alpha", "beta", "expertise", "all annotators count alike"),
        ("phi", "eta", "ease", "everything counts as equally difficult"),
    ):
        if "learn" in (getattr(model, shape), getattr(model, rate)) and getattr(h, shape) >= _POINT:
            value = f"{shape} = {getattr(h, shape):.3g}"
            notes.append(
                f"the learned prior of {of} ran to its limit, a point ({value}): {alike}; fix {shape} and {rate}"
            )
    if model.lam == "learn" and h.lam * ascent.problem.step**2 >= _POINT:
        notes.append(f"the learned prior of the truth ran to its limit, a point (lam = {h.lam:.3g}); fix lam")
    return notes
