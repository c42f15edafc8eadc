"""Each format -> ratings -> the same format loses nothing that the format can carry."""

import tempfile
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truegrade as tg
from truegrade.columns import Columns, Known
from truegrade.readers import Roles, read_columns
from truegrade.readers.exports import EXPORTS
from truegrade.writers.answer_table import DEFAULT_QUESTION, AnswerTable
from truegrade.writers.converting import WRITERS, convert_ratings

IDS = [
    "007",
    "7",
    "-3",
    "a,b",
    "é|;\t",
    "two\nlines",
    ' "q" ',
    "ann@example.org",
    "true",
    "null",
    "1.50",
    "x/y",
    "['a']",
]
NUMBERS = ["1", "2", "5", "0"]
TEXTS = [*NUMBERS, "-1", "2.5", "007", "4 - good", "so, so", "no\nanswer"]
WHOLE = {"peerannot", "snorkel", "rater-wide", "rater-grouped"}
ONCE = {*WHOLE, "cleanlab", "krippendorff"}
# Without -1 a matrix of NumPy's may be anyone's.
BY_NAME = {export.name for export in EXPORTS if export.by_name_only} | {"snorkel"}
CATEGORY = {
    "label-studio": "category", "label-studio-min": "category", "label-studio-csv": "category", "argilla": "category",
    "argilla-flat": "category", "argilla-1": "category", "mturk": "Input.category", "toloka": "INPUT:category",
    "prodigy": "category", "judges": "category", "long": "category",
}  # fmt: skip


def column(values):
    return pa.chunked_array([pa.array(values, pa.string())])


@st.composite
def answers(draw, name):
    """Rows (instance, annotator, rating, question, category) and gold that a format has room for."""
    writer = WRITERS[name]
    questions = ["quality", "tone", "a b"] if writer.questions else [DEFAULT_QUESTION]
    ratings = NUMBERS if name in WHOLE or name in {"label-studio-min", "label-studio-csv"} else TEXTS
    keys = st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), st.sampled_from(questions))
    cells = draw(st.lists(keys, min_size=1, max_size=12, unique=name in ONCE))
    rows = [(i, n, draw(st.sampled_from(ratings)), q) for i, n, q in cells]
    category = (
        {i: draw(st.sampled_from(["c1", "c 2"])) for i in IDS} if name in CATEGORY and draw(st.booleans()) else {}
    )
    gold = {}
    if writer.gold and draw(st.booleans()):
        rated = sorted({(i, q) for i, _, _, q in rows})
        gold = {key: draw(st.sampled_from(ratings)) for key in draw(st.lists(st.sampled_from(rated), unique=True))}
    return rows, category, gold


def table(rows, category, gold):
    instance, annotator, rating, question = zip(*rows, strict=True)
    known = None
    if gold:
        keys, values = zip(*gold.items(), strict=True)
        known = Known(column([i for i, _ in keys]), column(values), column([q for _, q in keys]))
    groups = column([category[i] for i in instance]) if category else None
    return AnswerTable.of(
        Columns(
            "test", column(annotator), column(instance), column(rating), groups, question=column(question), known=known
        )
    )


def content(found, name):
    """What must survive: answers, whatever their order; categories and gold."""
    writer = WRITERS[name]
    ids = writer.instances, writer.annotators, writer.questions
    rows = Counter((i * ids[0], a.annotator * ids[1], a.question * ids[2], a.rating, c) for i, c, a in found.rows())
    if not writer.instances:  # the answers of an instance stay together
        rows = Counter(
            frozenset(Counter((a.annotator, a.rating) for a in item.answers).items()) for item in found.items()
        )
    if not writer.annotators:
        rows = Counter(tuple(sorted(a.rating for a in item.answers)) for item in found.items())
    return rows, dict(found.gold)


def read_back(path, name, category):
    from_ = name if name in BY_NAME else ""
    roles = Roles(category=CATEGORY.get(name, "") if category else "")
    return AnswerTable.of(read_columns(path, roles, from_=from_, apart=True, with_gold=True))


@pytest.mark.parametrize("name", WRITERS)
@given(data=st.data())
def test_written_and_read_again(name, data):
    rows, category, gold = data.draw(answers(name))
    first = table(rows, category, gold)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        parts = [part.encode() if isinstance(part, str) else part for part in WRITERS[name].write(first)]
        path.write_bytes(b"".join(parts))
        second = read_back(path, name, category)
    assert content(second, name) == content(first, name)


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in BY_NAME])
@given(data=st.data())
def test_converted_from_itself_nothing_changes(name, data):
    """format -> Ratings -> the same format -> the same Ratings."""
    rows, category, gold = data.draw(answers(name))
    rows = [(i, n, rating, q) for i, n, rating, q in rows if rating in NUMBERS] or [("i", "n", "1", rows[0][3])]
    gold = {key: "1" for key in gold if key in {(i, q) for i, _, _, q in rows}}
    category_key = CATEGORY.get(name, "") if category else ""
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder) / "one", Path(folder) / "two"
        parts = WRITERS[name].write(table(rows, category | {"i": "c1"} if category else {}, gold))
        one.write_bytes(b"".join(part.encode() if isinstance(part, str) else part for part in parts))
        convert_ratings(one, two, name, roles=Roles(category=category_key))
        question = "" if len({q for *_, q in rows}) == 1 else "all"
        before, after = (tg.read(path, category=category_key, question=question, scale="0..5") for path in (one, two))
    assert after.digest == before.digest
    assert (after.known is None) == (before.known is None)
    if before.known:
        joined = [dict(zip(r.known.instances.to_pylist(), r.known.values, strict=True)) for r in (before, after)]
        assert joined[0] == joined[1]
