"""From the files that authors publish to rows of annotator, instance, rating; one function per data set.

Each keeps the order of the original and drops nothing but what its docstring says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from truegrade.datasets.entry import Tables
from truegrade.errors import DataError

__all__ = ["clean_adult", "clean_movies", "clean_trec", "clean_weather", "clean_web"]

_BROKEN_LINK = "-2"
_GRADES = ("0", "1", "2")


def clean_trec(files: Mapping[str, str]) -> Tables:
    """TREC: ratings of -2 (broken link) are left out, gold of -2 and -1 (unknown) too; repeats are kept.

    An instance is a document for a topic: one document may be asked about under two topics.
    """
    rows, gold = [], {}
    for topic, annotator, document, truth, label in _rows(files, "trec-rf10-data.txt", 5, header=True):
        instance = f"{topic}_{document}"
        if label != _BROKEN_LINK:
            rows.append((annotator, instance, topic, label))
        if truth in _GRADES:
            gold[instance] = truth
    return _tables(("annotator", "instance", "query", "rating"), rows, gold)


def clean_web(files: Mapping[str, str]) -> Tables:
    """Web relevance: bare numbers become ids; nothing is left out. The queries are not in the file."""
    crowd, truth = (_rows(files, name, width) for name, width in (("web_crowd.txt", 3), ("web_truth.txt", 2)))
    rows = [(f"w{annotator}", f"i{instance}", grade) for instance, annotator, grade in crowd]
    return _tables(("annotator", "instance", "rating"), rows, {f"i{instance}": grade for instance, grade in truth})


def clean_adult(files: Mapping[str, str]) -> Tables:
    """Adult content: G, P, R, X become 0 to 3; people and sites are numbered in order of appearance."""
    grade = {"G": "0", "P": "1", "R": "2", "X": "3"}
    people: dict[str, str] = {}
    sites: dict[str, str] = {}
    rows, gold = [], {}
    for annotator, site, letter in _rows(files, "labels.txt", 3):
        rows.append((_numbered(people, "a", annotator), _numbered(sites, "site", site), _meant(grade, letter)))
    for site, letter in _rows(files, "gold.txt", 2):
        gold[_numbered(sites, "site", site)] = _meant(grade, letter)
    return _tables(("annotator", "instance", "rating"), rows, gold)


def clean_movies(files: Mapping[str, str]) -> Tables:
    """Film reviews: a matrix of tenths, 999999999 for no answer; answers outside 0 to 10 are left out."""
    rows = []
    for film, line in enumerate(files["answers.txt"].split("\n"), start=1):
        for annotator, cell in enumerate(line.split(), start=1):
            grade = _tenths(cell)
            if 0 <= grade <= 10:
                rows.append((f"w{annotator}", f"m{film}", f"{grade:g}"))
    truths = files["labels_train_amt.txt"].split()
    gold = {f"m{film}": f"{_tenths(cell):g}" for film, cell in enumerate(truths, start=1)}
    return _tables(("annotator", "instance", "rating"), rows, gold)


def clean_weather(files: Mapping[str, str]) -> Tables:
    """Weather sentiment: 3 (not about the weather) and 4 (cannot tell) are no grades and left out."""
    labels = _rows(files, "label.csv", 3, header=True, delimiter=",")
    truths = _rows(files, "truth.csv", 2, header=True, delimiter=",")
    rows = [(f"w{annotator}", f"t{tweet}", grade) for tweet, annotator, grade in labels if grade in _GRADES]
    gold = {f"t{tweet}": grade for tweet, grade in truths if grade in _GRADES}
    return _tables(("annotator", "instance", "rating"), rows, gold)


def _rows(
    files: Mapping[str, str], name: str, width: int, *, header: bool = False, delimiter: str | None = None
) -> Iterable[list[str]]:
    """The cells of each line that is not blank; by default any run of spaces parts two cells."""
    for number, line in enumerate(files[name].split("\n"), start=1):
        if not line.strip() or (header and number == 1):
            continue
        cells = line.strip().split(delimiter)
        if len(cells) != width:
            raise DataError(f"{name}: line {number} has {len(cells)} cells, not {width}: this is not the original file")
        yield cells


def _numbered(seen: dict[str, str], prefix: str, name: str) -> str:
    return seen.setdefault(name, f"{prefix}{len(seen) + 1}")


def _meant(grades: Mapping[str, str], letter: str) -> str:
    if letter not in grades:
        raise DataError(f"'{letter}' is none of {', '.join(grades)}: this is not the original file")
    return grades[letter]


def _tenths(cell: str) -> float:
    return round(10 * float(cell), 6)


def _tables(names: tuple[str, ...], rows: Sequence[tuple[str, ...]], gold: Mapping[str, str]) -> Tables:
    import pyarrow as pa

    if not rows:
        raise DataError("there is no rating in it: this is not the original file")
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    truth = pa.table({"instance": pa.array(list(gold), pa.string()), "gold": pa.array(gold.values(), pa.string())})
    return Tables(pa.table(columns, names=list(names)), truth)
