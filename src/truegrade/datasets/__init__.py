"""Named public data: where it comes from, how it is cleaned, and how it is checked. None of it is in the package
except a table printed in 1979 and a simulation."""

from truegrade.datasets.catalogue import CATALOGUE
from truegrade.datasets.entry import Entry
from truegrade.datasets.loading import Dataset, load

__all__ = ["CATALOGUE", "Dataset", "Entry", "load"]
