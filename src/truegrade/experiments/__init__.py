"""The experiments of the paper's section 4, on any data: functions from ratings and gold to a table."""

from truegrade.experiments.ablation import ablation_sweep
from truegrade.experiments.comparison import compare
from truegrade.experiments.running import Work
from truegrade.experiments.spam import spam_sweep

__all__ = ["Work", "ablation_sweep", "compare", "spam_sweep"]
