"""The figures of fits and of experiments, one function each."""

from truegrade.report.charts import save, truth_distribution
from truegrade.report.experiment_charts import ablation, comparison, spam_curve

__all__ = ["ablation", "comparison", "save", "spam_curve", "truth_distribution"]
