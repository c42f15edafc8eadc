"""Whatever bytes a file holds, reading it gives ratings or an error that the user can act on."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_files import COMPRESSIONS, WRITERS

from truegrade import Ratings, read
from truegrade.errors import TruegradeError
from truegrade.readers import read_table


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


changes = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["set", "cut", "insert"]), st.integers(0, 255)), max_size=4
)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("kind", ["csv", "json lines", "parquet", "parquet, plain", "arrow file", "arrow stream"])
@given(edits=changes)
def test_damaged_files(kind, compression, edits):
    content = bytearray(COMPRESSIONS[compression](WRITERS[kind]()))
    for place, edit, byte in edits:
        at = int(place * (len(content) - 1))
        if edit == "set":
            content[at : at + 1] = [byte]
        elif edit == "insert":
            content[at:at] = [byte]
        elif place > 0.5:
            del content[at:]
    result = outcome(bytes(content))
    assert edits or isinstance(result, Ratings)
