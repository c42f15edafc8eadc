"""Small simulated frames for crowd-kit and for us. Plain Python alone: crowd-kit's environment has nothing of ours."""

from __future__ import annotations

import random

WORDS = ("spam", "ham", "egg")
PRIORS = {"ham": 0.5, "egg": 0.3, "spam": 0.2}


def labelled(seed: int, tasks: int, workers: int, each: int, labels: tuple) -> tuple[list[tuple], dict]:
    """Rows (task, worker, label) in no order, and the truth by task; workers are right four times in five or less."""
    draw = random.Random(seed)
    names = [f"w{draw.randrange(10**6):06d}" for _ in range(workers)]
    ids = [f"t{draw.randrange(10**6):06d}" for _ in range(tasks)]
    skill = {name: draw.uniform(0.4, 0.85) for name in names}
    truth = {task: draw.choice(labels) for task in ids}
    rows = [
        (task, name, truth[task] if draw.random() < skill[name] else draw.choice(labels))
        for task in ids
        for name in draw.sample(names, each)
    ]
    draw.shuffle(rows)
    return rows, truth


def words() -> tuple[list[tuple], dict]:
    """Three words without an order."""
    return labelled(1, tasks=30, workers=8, each=5, labels=WORDS)


def grades() -> tuple[list[tuple], dict]:
    """Four grades, as whole numbers."""
    return labelled(2, tasks=40, workers=6, each=5, labels=(1, 2, 4, 5))


def some_truths(truth: dict) -> dict:
    """Every fourth task's."""
    return dict(list(truth.items())[::4])


def some_skills(rows: list[tuple]) -> dict:
    """A weight for each worker, all different, so that there are no ties."""
    return {name: 0.3 + 0.0917 * at for at, name in enumerate(sorted({row[1] for row in rows}))}


def history(pd, rows: list[tuple], labels: tuple) -> dict:
    """What each worker said to so many tasks before, as either strategy of initial_error takes it."""
    workers = sorted({row[1] for row in rows})
    index = pd.MultiIndex.from_product([workers, labels], names=["worker", "label"])
    counts = [
        [7.0 if truth == said else 1.0 + at % 3 for truth in labels] for at in range(len(workers)) for said in labels
    ]
    errors = pd.DataFrame(counts, index=index, columns=list(labels))
    return {"addition": errors, "assign": errors / errors.groupby("worker").sum()}


def odd_frames(pd) -> dict:
    """Frames that users have and crowd-kit has trouble with; `pd` is the pandas of whoever asks."""
    plain = pd.DataFrame(
        [
            *(("a", f"w{n}", "yes" if n < 2 else "no") for n in range(3)),
            *(("b", f"w{n}", "yes" if n > 0 else "no") for n in range(3)),
            *(("c", f"w{n}", "no") for n in range(3)),
        ],
        columns=["task", "worker", "label"],
    )
    as_type = {kind: plain.assign(label=plain["label"].astype(kind)) for kind in ("object", "string", "category")}
    arrow = pd.Series(plain["label"].tolist(), dtype="string[pyarrow]")
    blank = plain.assign(label=plain["label"].astype(object).where(plain["task"] != "c", None))
    return {
        "object": as_type["object"],
        "string": as_type["string"],
        "string[pyarrow]": plain.assign(label=arrow),
        "category": as_type["category"],
        "bool": plain.assign(label=plain["label"] == "yes"),
        "boolean": plain.assign(label=(plain["label"] == "yes").astype("boolean")),
        "Int64": plain.assign(label=(plain["label"] == "yes").astype("Int64")),
        "float": plain.assign(label=(plain["label"] == "yes") / 2),
        "mixed": plain.assign(label=[1, "1", 1, "1", 1, "1", 1, 1, 1]),
        "a task without labels": blank,
        "no rows": plain.iloc[:0],
        "one label": plain.assign(label="yes"),
        "one worker": plain[plain["worker"] == "w0"],
        "ids of other types": plain.assign(task=["a", "b", "c"] * 3, worker=[1, "1", 2.5] * 3),
    }
