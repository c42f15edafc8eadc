"""The table that Dawid and Skene printed in 1979: 45 patients, 5 anaesthetists, the first of whom graded thrice."""

from __future__ import annotations

from collections.abc import Mapping

from truegrade.datasets.entry import Tables

__all__ = ["anesthesia"]

# One group per patient: the three grades of anaesthetist 1, then one grade each of 2, 3, 4 and 5.
_PATIENTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1122111 3333433 2222223
2322223 4444444 2223343 1111111 2223212 1211111 1112111 1111111 1111111
2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222
1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343
2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""
_ANNOTATORS = ("a1", "a1", "a1", "a2", "a3", "a4", "a5")


def anesthesia(_: Mapping[str, str]) -> Tables:
    """The 315 grades; no gold is known."""
    import pyarrow as pa

    patients = _PATIENTS.split()
    return Tables(
        pa.table(
            {
                "annotator": _ANNOTATORS * len(patients),
                "instance": [f"p{number}" for number in range(1, len(patients) + 1) for _ in _ANNOTATORS],
                "rating": [grade for grades in patients for grade in grades],
            }
        ),
        None,
    )
