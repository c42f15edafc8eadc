"""crowd-kit's classes by their own names, over our models: change the import and leave the rest as it is.

Frames go in with the columns task, worker and label, and pandas comes out. docs/how-to/from-crowd-kit.md lists what
differs.

>>> import pandas as pd
>>> frame = pd.DataFrame({"task": [1, 1, 1], "worker": ["ann", "bob", "cy"], "label": ["cat", "cat", "dog"]})
>>> MajorityVote().fit_predict(frame).to_dict()
{1: 'cat'}
"""

from truegrade.compat.crowdkit.dawid_skene import DawidSkene, OneCoinDawidSkene
from truegrade.compat.crowdkit.glad import GLAD
from truegrade.compat.crowdkit.majority_vote import MajorityVote

__all__ = ["GLAD", "DawidSkene", "MajorityVote", "OneCoinDawidSkene"]
