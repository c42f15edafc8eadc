"""What crowd-kit finds on small frames, as JSON on stdout, for the tests of truegrade.compat.crowdkit.

`make crowdkit` runs it with the Python of an environment of crowd-kit's own.
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
warnings.simplefilter("ignore")

import crowdkit_cases as cases  # noqa: E402
from crowdkit.aggregation import GLAD, DawidSkene, MajorityVote, OneCoinDawidSkene  # noqa: E402

CLASSES = (MajorityVote, DawidSkene, OneCoinDawidSkene, GLAD)
PARAMETERS = ("priors_", "errors_", "skills_")
RESULTS = ("labels_", "probas_", *PARAMETERS, "alphas_", "betas_")
NEVER = -1e300  # a tolerance that nothing is below


def plain(value):
    """Anything pandas holds as JSON; numbers to ten digits."""
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    value = value.item() if hasattr(value, "item") else value
    return float(f"{value:.10g}") if isinstance(value, float) else value


def table(found):
    """A series or a frame whole: entries, index, columns, their names and types."""
    told = {"index": [plain(x) for x in found.index], "index_names": list(found.index.names)}
    if isinstance(found, pd.Series):
        return told | {"name": found.name, "dtype": str(found.dtype), "values": [plain(x) for x in found]}
    return told | {
        "columns": [plain(x) for x in found.columns],
        "columns_name": found.columns.name,
        "values": [[plain(x) for x in row] for row in found.to_numpy()],
    }


def results(aggregator, names=RESULTS):
    return {name: table(getattr(aggregator, name)) for name in names if hasattr(aggregator, name)}


def signatures(cls):
    methods = {"__init__": cls} | {name: getattr(cls, name) for name in ("fit", "fit_predict", "fit_predict_proba")}
    return {
        name: [
            [p.name, None if p.default is p.empty else repr(p.default)]
            for p in inspect.signature(f).parameters.values()
        ]
        for name, f in methods.items()
    }


def what_happens(make, frame):
    """How a fit ends: the exception's name, what is odd about the result, or nothing."""
    try:
        found = make().fit_predict(frame)
    except Exception as error:
        return type(error).__name__
    missing = sorted(set(frame["task"]) - set(found.index))
    return f"no label for {', '.join(missing)}" if missing else "; ".join(f"{t}={x}" for t, x in found.items())


def found_on(frame, rows, truth):
    """What every class finds on one frame, by name and number of passes."""
    skills = pd.Series(cases.some_skills(rows))
    partly = MajorityVote(default_skill=0.5, on_missing_skill="value")
    found = {
        "votes": results(MajorityVote().fit(frame)),
        "weighted votes": results(MajorityVote().fit(frame, skills)),
        "partly weighted votes": results(partly.fit(frame, skills.iloc[:-1])),
    }
    runs = {cls.__name__: (cls, {}, {}) for cls in (DawidSkene, OneCoinDawidSkene)}
    runs["known"] = (DawidSkene, {}, {"true_labels": pd.Series(cases.some_truths(truth))})
    for strategy, errors in cases.history(pd, rows, tuple(dict.fromkeys(frame["label"]))).items():
        runs[strategy] = (DawidSkene, {"initial_error_strategy": strategy}, {"initial_error": errors})
    for name, (cls, options, given) in runs.items():
        for passes in (1, 8):
            # Our posteriors go with the parameters that are shown, crowd-kit's with those a pass before.
            now, next_ = (cls(n_iter=n, tol=NEVER, **options).fit(frame, **given) for n in (passes, passes + 1))
            found[f"{name} {passes}"] = results(now, PARAMETERS) | results(next_, ("labels_", "probas_"))
    return found


def main():
    out = {
        "versions": {name: version(name) for name in ("crowd-kit", "pandas", "numpy", "scipy")},
        "signatures": {cls.__name__: signatures(cls) for cls in CLASSES},
        "odd frames": {
            name: {cls.__name__: what_happens(cls, frame) for cls in CLASSES}
            for name, frame in cases.odd_frames(pd).items()
        },
        "results": {},
    }
    for name in ("words", "grades"):
        rows, truth = getattr(cases, name)()
        out["results"][name] = found_on(pd.DataFrame(rows, columns=["task", "worker", "label"]), rows, truth)
    frame = pd.DataFrame(cases.words()[0], columns=["task", "worker", "label"])
    to_the_end = {"n_iter": 40, "tol": NEVER, "m_step_max_iter": 100, "m_step_tol": 1e-8}
    priors = pd.Series(cases.PRIORS)
    out["results"]["words"] |= {
        "GLAD": results(GLAD(**to_the_end).fit(frame)),
        "GLAD by priors": results(
            GLAD(**to_the_end, labels_priors=priors).fit(frame), ("labels_", "probas_", "alphas_")
        ),
    }
    json.dump(out, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
