"""Our models as a scikit-learn estimator, for pipelines, cross-validation and grid searches. Needs truegrade[sklearn].

>>> import numpy as np
>>> X = np.array([("ann", "x", 1), ("bob", "x", 1), ("cy", "x", 2), ("ann", "y", 2), ("bob", "y", 2), ("cy", "y", 2)])
>>> TruthEstimator("median").fit(X).predict(X)
array([1., 1., 1., 2., 2., 2.])
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from truegrade.compat._held_out import Habits, told_by_others, told_by_the_fit
from truegrade.errors import OptionError, RatingError, TruegradeError
from truegrade.models import make_model
from truegrade.models._options import with_options
from truegrade.ratings import Ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._base import Model
    from truegrade.scale import Scale

    Floats = NDArray[np.float64]

__all__ = ["TruthEstimator"]

_NESTED = "model__"
_COLUMNS = 3  # annotator, instance, rating


class TruthEstimator(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # without scikit-learn they are Any
    """The truth behind ratings.

    X has a row per rating: a frame, or an array (n, 3) of annotator, instance and rating. With ``wide`` it has a row
    per instance and a column per annotator, NaN where nothing was rated. y is not used.

    model: a model, or its text as on the command line; its options are parameters too, as in ``model__prior``.
    scale: of the ratings; give it where a part of the ratings may miss a grade, as in cross-validation.
    fit_: what was found, with the tables of truths and annotators.
    """

    fit_: Fit
    n_features_in_: int

    def __init__(
        self, model: Model | str = "auto", *, scale: Scale | str | Sequence[Any] | None = None, wide: bool = False
    ) -> None:
        self.model = model
        self.scale = scale
        self.wide = wide

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  scikit-learn's name
        """Infer truths and annotators."""
        ratings = self._ratings(X, self.scale, fresh=True)
        model = _model_of(self.model)
        self.fit_ = model.fit(ratings)
        self._habits = None if hasattr(model, "rating_probabilities") else Habits.of(self.fit_, ratings)
        return self

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """The estimate of the truth that each row is about (n,): from the ratings in X, by annotators as fitted."""
        found, at = self._judged(X)
        estimate: Floats = found.posterior.estimate[at]
        return estimate

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """P(grade) of the truth that each row is about (n, K); on a real scale its estimate and sd (n, 2)."""
        found, at = self._judged(X)
        p = found.posterior
        columns = np.stack([p.estimate, p.sd], axis=1) if found.scale.is_real else p.probabilities(found.scale)
        rows: Floats = columns[at]
        return rows

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """What the columns of :meth:`transform` are called."""
        check_is_fitted(self)
        scale = self.fit_.scale
        names = ["estimate", "sd"] if scale.is_real else [f"p_{label}" for label in scale.labels]
        return np.array(names, dtype=object)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """How well the ratings in X are foretold: the mean of ln P(rating), none below ln 1e-12.

        Each is told from its annotator and what is known of its instance: what `fit` found, or with ``wide``, where the
        instances are new ones, the other ratings of the row. On a real scale: minus the mean squared distance between
        rating and estimate.
        """
        check_is_fitted(self)
        ratings = self._ratings(X, self.fit_.scale)
        if self.wide:
            return told_by_others(self.fit_, _predicted, ratings, self._habits)
        return told_by_the_fit(self.fit_, ratings, self._habits)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, and with `deep` the model's options as ``model__<option>``."""
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            try:
                model = _model_of(self.model)
            except OptionError:
                return params  # what is wrong with it, fit will say
            params |= {_NESTED + f.name: getattr(model, f.name) for f in fields(model)}  # type: ignore[arg-type]
        return params

    def set_params(self, **params: Any) -> Self:
        """Change arguments, or options of the model."""
        own = {name: value for name, value in params.items() if not name.startswith(_NESTED)}
        super().set_params(**own)
        nested = {name.removeprefix(_NESTED): value for name, value in params.items() if name not in own}
        if nested:
            model = _model_of(self.model)
            options = {f.name: getattr(model, f.name) for f in fields(model)}  # type: ignore[arg-type]
            self.model = with_options(type(model), options | nested)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.wide
        tags.input_tags.two_d_array = self.wide  # a row per rating is no table of numbers
        tags.input_tags.string = not self.wide
        return tags

    def _ratings(self, X: Any, scale: Any, *, fresh: bool = False) -> Ratings:  # noqa: N803
        if self.wide:
            return _from_matrix(self, X, scale, fresh=fresh)
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            self.n_features_in_ = _COLUMNS
            return Ratings.from_frame(X, scale=scale)
        table = np.asarray(X) if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if table.ndim != 2 or table.shape[1] != _COLUMNS:
            raise RatingError(
                f"X has the shape {table.shape}; give a row of annotator, instance and rating for each rating, or set "
                "wide=True if each column is an annotator"
            )
        self.n_features_in_ = _COLUMNS
        annotator, instance, rating = (table[:, i].tolist() for i in range(_COLUMNS))
        return Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, scale=scale)

    def _judged(self, X: Any) -> tuple[Fit, NDArray[Any]]:  # noqa: N803
        """The fit of X by annotators as they were found, and which instance each row is about."""
        check_is_fitted(self)
        ratings = self._ratings(X, self.fit_.scale)
        found = _predicted(self.fit_, ratings)
        if self.wide:
            return found, found.instance_ids.code  # first seen in the order of the rows
        at = np.empty(ratings.n_rows, dtype=np.intp)
        at[ratings.row] = ratings.instance_of()
        return found, at


def _model_of(model: Any) -> Model:
    if isinstance(model, str):
        return make_model(model)
    if not is_dataclass(model) or isinstance(model, type) or not hasattr(model, "fit"):
        raise OptionError(f"model={model!r}: pass a model such as truegrade.Auto(), or its name")
    found: Model = model  # type: ignore[assignment]
    return found


def _predicted(fit: Fit, ratings: Ratings) -> Fit:
    """By annotators as an earlier fit found them. A model that knows no annotators looks at the ratings alone."""
    model = _model_of(fit.model)
    return fit.predict(ratings) if hasattr(model, "predict") else model.fit(ratings)


def _from_matrix(estimator: TruthEstimator, X: Any, scale: Any, *, fresh: bool) -> Ratings:  # noqa: N803
    """A matrix (M, N) as ratings, instances and annotators numbered; NaN is no rating."""
    matrix = validate_data(estimator, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=fresh)
    rated = ~np.isnan(matrix)
    if not rated.any(axis=1).all():
        raise RatingError(f"row {int(np.argmin(rated.any(axis=1)))} of X has no rating; leave such rows out")
    instance, annotator = np.nonzero(rated)
    try:
        return Ratings.from_arrays(annotator=annotator, instance=instance, rating=matrix[rated], scale=scale)
    except TruegradeError as error:
        raise RatingError(f"X: {error}") from None
