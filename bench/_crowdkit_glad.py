"""Run by crowd-kit's own Python: python _crowdkit_glad.py RATINGS.csv OUTPUT.json.

Fits GLAD; writes what it took, abilities, eases and grades.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

import pandas as pd
from crowdkit.aggregation import GLAD

ratings, output = sys.argv[1:]
frame = pd.read_csv(ratings)
frame = frame.rename(columns={"annotator": "worker", "instance": "task", "rating": "label"})
model = GLAD()
start = perf_counter()
labels = model.fit_predict(frame)
found = {
    "seconds": perf_counter() - start,
    "iterations": len(model.loss_history_),
    "alpha": model.alphas_.to_dict(),
    "log_beta": model.betas_.to_dict(),
    "grade": {task: int(label) for task, label in labels.items()},
}
Path(output).write_text(json.dumps(found))
