"""Whatever bytes a file holds, reading it gives ratings or an error that the user can act on."""

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_files import COMPRESSIONS, WRITERS

from truegrade import Ratings, read
from truegrade.errors import TruegradeError
from truegrade.readers import exports, read_table


def outcome(content, **options):
    """The ratings in these bytes, or the error that a user would see; anything else fails the test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(content)
        with suppress(TruegradeError):
            assert read_table(path).num_rows > 0
        try:
            ratings = read(path, **options)
        except TruegradeError as error:
            return error
    assert isinstance(ratings, Ratings)
    assert ratings.n_ratings > 0
    return ratings


pieces = st.lists(
    st.sampled_from(
        [
            b"annotator", b"instance", b"rating", b"item", b"weight", b"timestamp", b"a", b"7", b"-1e5", b"nan",
            b",", b";", b"\t", b"|", b'"', b'""', b"\n", b"\r", b"\r\n", b" ", b"{", b"}", b"[", b"]", b":", b"null",
            b"true", b'{"item": 1, "judge": "a", "score": 2}\n', b"annotator,instance,rating\n", b"a,x,1\n",
            b"\xef\xbb\xbf", b"\xff\xfe", b"\xe9", b"\xc3\xa9", b"\x00", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1",
            b"ARROW1", b"FEA1", b"\xff\xff\xff\xff", b"\x10\x00\x00\x00", b"2020-01-01", b"\\ud800", b"\\",
        ]
    ),
    max_size=30,
).map(b"".join)  # fmt: skip


@given(st.binary(max_size=200))
def test_arbitrary_bytes(content):
    outcome(content)


@given(pieces, st.booleans())
def test_bytes_that_look_like_something(content, wide):
    outcome(content, wide=wide)


def damaged(whole, edits):
    """The bytes with some of them set, put in or cut off."""
    content = bytearray(whole)
    for place, edit, byte in edits:
        at = int(place * (len(content) - 1))
        if edit == "set":
            content[at : at + 1] = [byte]
        elif edit == "insert":
            content[at:at] = [byte]
        elif place > 0.5:
            del content[at:]
    return bytes(content)


JSON_PIECES = [
    b"{", b"}", b"[", b"]", b":", b",", b"\n", b'"id": 1', b'"data": {}', b'"annotations": [{"result": [', b"]}]",
    b'"completed_by": {"id": 3}', b'{"from_name": "q", "type": "rating", "value": {"rating": 4}}', b'"responses": ',
    b'{"q": [{"value": 2, "user_id": "u"}]}', b'"fields": {}', b'"q.responses": [1, 2]', b'"q.responses.users": ["a"]',
    b'"_input_hash": 5', b'"answer": "accept"', b'"accept": [3]', b'"_annotator_id": "a"', b'{"1": {"2": 3}}', b"null",
    b'"item": "x"', b'"judge": {"name": "m"}', b'"score": {"a": 1, "b": {"score": 2}}', b"NaN", b"1e999", b'"\\ud800"',
]  # fmt: skip
changes = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["set", "cut", "insert"]), st.integers(0, 255)), max_size=4
)


EXPORTS = sorted((Path(__file__).parents[1] / "exports").iterdir())


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.name)
@given(edits=changes, name=st.sampled_from(["", *(export.name for export in exports.EXPORTS)]))
@settings(max_examples=30)
def test_damaged_exports(export, edits, name):
    outcome(damaged(export.read_bytes(), edits), from_=name, question="all")


def places(value, path=()):
    """The paths to all values inside a JSON value."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*path, key))


def with_value(whole, path, new):
    """The JSON value with another one at this path."""
    if not path:
        return new
    copy = whole.copy()
    copy[path[0]] = with_value(whole[path[0]], path[1:], new)
    return copy


others = st.sampled_from([None, True, 3, -1.5, "", "text", [], {}, [None], [1, 2], {"a": 1}, [{}], [{"rating": []}]])


@pytest.mark.parametrize("export", [path for path in EXPORTS if "json" in path.suffix], ids=lambda path: path.name)
@given(data=st.data())
@settings(max_examples=100)
def test_json_with_values_of_other_kinds(export, data):
    """A list where an object should be, nothing where a text should be, and so on."""
    text = export.read_text()
    is_lines = export.suffix == ".jsonl"
    value = [json.loads(line) for line in text.splitlines()] if is_lines else json.loads(text)
    for _ in range(data.draw(st.integers(1, 3))):
        value = with_value(value, data.draw(st.sampled_from(list(places(value)))), data.draw(others))
    is_lines &= isinstance(value, list)
    content = "\n".join(map(json.dumps, value)) if is_lines else json.dumps(value)
    outcome(content.encode(), question=data.draw(st.sampled_from(["", "all", "quality"])))


@given(st.lists(st.sampled_from(JSON_PIECES), max_size=25).map(b"".join), st.sampled_from(["", "all", "q"]))
def test_text_that_looks_like_json(content, question):
    outcome(content, question=question)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("kind", ["csv", "json lines", "parquet", "parquet, plain", "arrow file", "arrow stream"])
@given(edits=changes)
def test_damaged_files(kind, compression, edits):
    result = outcome(damaged(COMPRESSIONS[compression](WRITERS[kind]()), edits))
    assert edits or isinstance(result, Ratings)
