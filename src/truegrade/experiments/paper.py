"""Table 1 of Lakshminarayanan and Teh (2013), as printed, and which of our models each row is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truegrade.experiments.measures import MEASURES, PAPER_MEASURES

__all__ = ["PRINTED", "PaperRow"]


@dataclass(frozen=True)
class PaperRow:
    """A row of the TREC half of the table. The other half is of data that was never published."""

    name: str  # as printed
    model: str  # ours, with options
    mse: float
    correlation: float
    ndcg: float
    free: bool = False  # of parameters and of starts: there is nothing to do differently but ties

    def verdict(self, figures: Mapping[str, float | None]) -> dict[str, str]:
        """How ours compare: "equal", "better" or "worse", by measure.

        A row without parameters is equal to the printed digit, and in NDCG within .003, which is what ways to break
        ties come to; any other within .02.
        """
        found = {}
        for name in PAPER_MEASURES:
            ours, theirs = figures[name], getattr(self, name)
            if ours is None:
                continue
            within = (0.003 if name == "ndcg" else 0.001) if self.free else 0.02
            loss = MEASURES[name].loss
            better = loss(ours) < loss(theirs)
            found[name] = "equal" if abs(ours - theirs) <= within else "better" if better else "worse"
        return found


PRINTED = (
    PaperRow("Dawid-Skene", "dawid-skene", 0.698, 0.423, 0.923),
    PaperRow("GLAD (query-URL)", "glad:difficulty=instance:class_prior=learned:adversarial=true", 0.736, -0.045, 0.854),
    PaperRow("Ord-Binary", "ord-binary", 0.893, 0.422, 0.919),
    PaperRow("Ord-Continuous-ML", "continuous:method=ml", 0.685, 0.278, 0.901),
    PaperRow("Majority-Vote", "majority", 0.854, 0.318, 0.905, free=True),
    PaperRow("Mean", "mean", 0.649, 0.359, 0.911, free=True),
    PaperRow("Median", "median", 0.746, 0.336, 0.907, free=True),
    PaperRow("Ordinal-discrete-mixture", "ordinal-mixture:difficulty=none", 0.675, 0.318, 0.908),
    PaperRow("Ordinal-discrete-mixture (query)", "ordinal-mixture:difficulty=category", 0.616, 0.399, 0.919),
    PaperRow("Ordinal-discrete-mixture (query-URL)", "ordinal-mixture:difficulty=instance", 0.606, 0.413, 0.921),
)
