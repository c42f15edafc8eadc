"""A reproduction as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from truegrade.files import write_whole
from truegrade.report.charts import save
from truegrade.report.experiment_charts import ablation, comparison, spam_curve
from truegrade.report.reproduction_page import page
from truegrade.report.reproduction_text import rows_of
from truegrade.tables import write_tables

if TYPE_CHECKING:
    from truegrade.experiments.reproduction import Reproduction

__all__ = ["write_reproduction"]


def write_reproduction(found: Reproduction, directory: Path) -> list[Path]:
    """table1.csv, spam.csv, ablation.csv, a figure of each per data set, and README.md."""
    tables = {"table1": found.table1, "spam": found.spam, "ablation": found.ablation}
    figures = {"table1": comparison, "spam": spam_curve, "ablation": ablation}
    paths = write_tables(tables, directory, "csv")
    for name in found.studies:
        for kind, figure in figures.items():
            path = directory / f"{kind}-{name}.png"
            save(figure(rows_of(tables[kind], name)), path)
            paths.append(path)
    write_whole(directory / "README.md", page(found))
    return [*paths, directory / "README.md"]
