"""The scale that grades live on: values v_1 < ... < v_K and the thresholds b_0 < ... < b_K around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truegrade.errors import ScaleError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["LARGEST", "MAX_GRADES", "Scale", "leading_number", "read_number", "shortest_text"]

MAX_GRADES = 101  # a percentage in whole points; grades are stored in one byte
LARGEST = 1e100  # of a value's size: sums of squares must not overflow
# A number, perhaps a mark like - : . ) = and then anything but one more number: "1-2 times" is no 1.
_LEADING = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)(?:(?:\s*[-\u2013\u2014:.)=/|,]\s*|\s+)[^\d\s].*)?\s*", re.DOTALL)
_EXACT = 2.0**53  # below it neighbouring whole numbers and halves are different numbers


def shortest_text(value: float) -> str:
    """The shortest text that reads back as this number: 1, 0.5, -2.

    >>> shortest_text(1.0), shortest_text(0.5)
    ('1', '0.5')
    """
    return str(int(value)) if float(value).is_integer() and abs(value) < _EXACT else repr(float(value))


def read_number(cell: Any) -> float | None:
    """A cell as a number, None if it is none. Python's own spelling 1_000 is none.

    >>> read_number(" 1.50 "), read_number("1_000"), read_number(10**400)
    (1.5, None, inf)
    """
    if isinstance(cell, str) and "_" in cell:
        return None
    try:
        return float(cell)
    except OverflowError:
        return float("inf") if cell > 0 else float("-inf")
    except (TypeError, ValueError):
        return None


def leading_number(text: str) -> str | None:
    """The number that a choice begins with, if words follow it.

    >>> leading_number("4 - good"), leading_number("2.5: fair"), leading_number("3"), leading_number("1-2 times")
    ('4', '2.5', '3', None)
    """
    found = _LEADING.fullmatch(text)
    return found[1] if found else None


@dataclass(frozen=True)
class Scale:
    """K grades with known values, and names where the grades have them.

    ``Scale.real(low, high)`` has no grades: ratings on it are any numbers.

    >>> scale = Scale((1, 2, 3))
    >>> scale.thresholds
    array([0.5, 1.5, 2.5, 3.5])
    >>> Scale.parse("cold,warm,hot").values
    (1.0, 2.0, 3.0)
    """

    values: tuple[float, ...]
    names: tuple[str, ...] | None = None
    numbered: bool = True  # False: the values are mere positions, so distances mean nothing
    bounds: tuple[float, float] | None = None  # of a real scale only

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(float(v) for v in self.values))
        if self.names is not None and len(set(self.names)) != len(self.values):
            raise ScaleError(f"a scale needs as many different names as values, not {', '.join(self.names)}")
        if len(self.values) > MAX_GRADES:
            raise ScaleError(f"the scale has {len(self.values)} grades, at most {MAX_GRADES} are possible")
        if not np.all(np.abs(self.values) <= LARGEST):
            raise ScaleError(f"the values of a scale must be finite, and at most {LARGEST:g} in size")
        if any(a >= b for a, b in zip(self.values, self.values[1:], strict=False)):
            raise ScaleError(f"the values of a scale must ascend, not {', '.join(map(shortest_text, self.values))}")
        if not self.values and self.bounds is None:
            raise ScaleError("a scale needs at least one grade")

    @classmethod
    def real(cls, low: float, high: float) -> Scale:
        """The scale of ratings that are any numbers; `low` and `high` are the range that spam covers."""
        return cls((), bounds=(float(low), float(high)))

    @classmethod
    def parse(cls, text: str) -> Scale:
        """Read ``1..5``, ``1,2,3``, ``cold,warm,hot`` or ``cold=1,hot=4``, low to high.

        >>> Scale.parse("1..5").values
        (1.0, 2.0, 3.0, 4.0, 5.0)
        """
        first, dots, last = text.partition("..")
        if dots:
            try:
                low, high = int(first), int(last)
            except ValueError:
                raise ScaleError(f"scale '{text}': a range is two whole numbers, like 1..5") from None
            if not 0 <= high - low < MAX_GRADES:
                raise ScaleError(f"scale '{text}': a range holds 1 to {MAX_GRADES} grades, low to high")
            return cls(tuple(range(low, high + 1)))
        return cls.of([part.strip() for part in text.split(",")])

    @classmethod
    def of(cls, grades: Scale | str | Sequence[Any]) -> Scale:
        """Anything a user may pass as ``scale=``: a Scale, its text, or its values or names low to high."""
        if isinstance(grades, Scale):
            return grades
        if isinstance(grades, str):
            return cls.parse(grades)
        if not isinstance(grades, Iterable):
            raise ScaleError(f"scale {grades!r}: pass the grades, low to high, or a text like 1..5")
        grades = list(grades)
        numbers = [read_number(grade) for grade in grades]
        if all(number is not None for number in numbers):
            return cls(tuple(number for number in numbers if number is not None))
        parts = [str(grade).rpartition("=") for grade in grades]
        numbers = [read_number(value) for _, _, value in parts]
        if all(name and number is not None for (name, _, _), number in zip(parts, numbers, strict=True)):
            return cls(
                tuple(number for number in numbers if number is not None),
                tuple(name.strip() for name, _, _ in parts),
            )
        return cls.named(grades)

    @classmethod
    def named(cls, grades: Iterable[Any]) -> Scale:
        """The scale of names alone, low to high: their places 1 .. K are their values.

        >>> Scale.named(["lo", "hi"]).values
        (1.0, 2.0)
        """
        names = tuple(str(grade).strip() for grade in grades)
        if not all(names):
            raise ScaleError(f"scale '{','.join(names)}' has a grade without a name")
        return cls(tuple(range(1, len(names) + 1)), names, numbered=False)

    @classmethod
    def infer(cls, observed: Iterable[float]) -> Scale:
        """The smallest plausible scale that holds all values: whole numbers, halves, else just what was seen.

        >>> Scale.infer([1, 4]).values
        (1.0, 2.0, 3.0, 4.0)
        >>> Scale.infer([1, 2.5]).values
        (1.0, 1.5, 2.0, 2.5)
        >>> Scale.infer([0.1, 0.7]).values
        (0.1, 0.7)
        """
        seen = np.unique(np.fromiter(observed, dtype=np.float64))
        if seen.size == 0:
            raise ScaleError("there are no ratings to infer a scale from")
        grades = seen
        for step in (1.0, 0.5):
            if np.all(np.abs(seen) < _EXACT) and np.all(seen / step == np.round(seen / step)):
                steps = int((seen[-1] - seen[0]) / step)
                grades = seen[0] + step * np.arange(min(steps, MAX_GRADES) + 1)
                break
        if grades.size > MAX_GRADES:
            raise ScaleError(
                f"ratings from {shortest_text(seen[0])} to {shortest_text(seen[-1])} need more than "
                f"{MAX_GRADES} grades; pass --scale with the grades, low to high, or --scale real for any numbers"
            )
        return cls(tuple(grades))

    @property
    def is_real(self) -> bool:
        """Whether ratings are any numbers instead of grades."""
        return not self.values

    @property
    def n_grades(self) -> int:
        """K; 0 on a real scale."""
        return len(self.values)

    @cached_property
    def array(self) -> NDArray[np.float64]:
        """The values v_1 .. v_K as an array (K,)."""
        array = np.array(self.values)
        array.flags.writeable = False
        return array

    @property
    def low(self) -> float:
        """The lowest value that a truth can be graded as."""
        return self.bounds[0] if self.bounds else self.values[0]

    @property
    def high(self) -> float:
        """The highest value that a truth can be graded as."""
        return self.bounds[1] if self.bounds else self.values[-1]

    @cached_property
    def thresholds(self) -> NDArray[np.float64]:
        """b_0 .. b_K (K+1,): midpoints between neighbours, the outer ones half a step out."""
        return self.thresholds_with("finite")

    def thresholds_with(self, outer: Literal["finite", "infinite"]) -> NDArray[np.float64]:
        """The thresholds with the outer two half a step out, as in the paper, or infinite."""
        if self.bounds is not None:
            return np.array(self.bounds)
        v = self.array
        steps = np.diff(v) if v.size > 1 else np.ones(1)
        low, high = (-np.inf, np.inf) if outer == "infinite" else (v[0] - steps[0] / 2, v[-1] + steps[-1] / 2)
        return np.concatenate([[low], (v[1:] + v[:-1]) / 2, [high]])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each grade is called in tables: its name, or its value's shortest text."""
        return self.names or tuple(shortest_text(v) for v in self.values)

    def nearest(self, values: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Index 0 .. K-1 of the grade nearest to each value, ties to the lower grade.

        >>> Scale((1, 2, 3)).nearest(np.array([0.2, 1.5, 2.6]))
        array([0, 0, 2], dtype=uint8)
        """
        midpoints = (self.array[1:] + self.array[:-1]) / 2
        return np.searchsorted(midpoints, values, side="left").astype(np.uint8)

    def cells(self, grade: NDArray[np.uint8]) -> pa.Array:
        """Grade indices as a user writes them: names, or numbers, whole ones where all are."""
        import pyarrow as pa

        if self.names is not None:
            return pa.array(self.names).take(pa.array(grade))
        whole = all(value.is_integer() for value in self.values)
        return pa.array(self.array.astype(np.int64 if whole else np.float64)[grade])

    def index_of(self, values: NDArray[np.float64]) -> NDArray[np.int16]:
        """Index 0 .. K-1 of each value on the scale, -1 for those that are not grades."""
        at = np.searchsorted(self.array, values).clip(0, self.n_grades - 1)
        return np.where(self.array[at] == values, at, -1).astype(np.int16)

    def __str__(self) -> str:
        """A form that :meth:`parse` reads, except for a real scale."""
        if self.bounds is not None:
            return f"real {shortest_text(self.low)}..{shortest_text(self.high)}"
        if self.names is not None and self.numbered:
            return ",".join(f"{n}={shortest_text(v)}" for n, v in zip(self.names, self.values, strict=True))
        whole = self.names is None and self.n_grades > 2 and all(v.is_integer() for v in self.values)
        if whole and self.values[-1] - self.values[0] == self.n_grades - 1:
            return f"{self.labels[0]}..{self.labels[-1]}"
        return ",".join(self.labels)

    def to_json(self) -> dict[str, Any]:
        """A form for fit.json, read back by :meth:`from_json`."""
        return {
            "values": list(self.values),
            "names": list(self.names) if self.names else None,
            "numbered": self.numbered,
            "bounds": list(self.bounds) if self.bounds else None,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Scale:
        """The inverse of :meth:`to_json`."""
        names, bounds = record.get("names"), record.get("bounds")
        return cls(
            tuple(record["values"]),
            tuple(names) if names else None,
            bool(record.get("numbered", True)),
            (bounds[0], bounds[1]) if bounds else None,
        )
