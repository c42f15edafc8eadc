"""The figures of fits and of experiments, one function each."""

from truegrade.report.annotator_charts import annotator_map, bias_stretch, confusion, learning
from truegrade.report.charts import save, truth_distribution
from truegrade.report.experiment_charts import ablation, comparison, spam_curve
from truegrade.report.fit_charts import calibration, difficulty, trace, truth_uncertainty

__all__ = [
    "ablation",
    "annotator_map",
    "bias_stretch",
    "calibration",
    "comparison",
    "confusion",
    "difficulty",
    "learning",
    "save",
    "spam_curve",
    "trace",
    "truth_distribution",
    "truth_uncertainty",
]
