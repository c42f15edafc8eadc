"""The figures of a fit: see :mod:`truegrade.report.charts`."""

from truegrade.report.charts import save, truth_distribution

__all__ = ["save", "truth_distribution"]
