"""Delimited text as people write it."""

import pytest

from truegrade.readers import read_columns, read_table

HEADER = b"annotator,instance,rating\n"


@pytest.fixture
def rows(tmp_path):
    """A function from a file's bytes to its (annotator, instance, rating) rows."""

    def read_rows(content):
        path = tmp_path / "ratings"
        path.write_bytes(content)
        columns = read_columns(path)
        cells = (columns.annotator, columns.instance, columns.rating)
        return list(zip(*(column.to_pylist() for column in cells), strict=True))

    return read_rows


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbf" + HEADER + b"a,x,1\n", [("a", "x", "1")]),
        (b"\xef\xbb\xbf" + b'"annotator","instance","rating"\n"a","x","1"\n', [("a", "x", "1")]),
        (b"annotator,instance,rating\r\na,x,1\r\n\r\n\r\n", [("a", "x", "1")]),
        (b"annotator,instance,rating\ra,x,1\rb,x,2\r", [("a", "x", "1"), ("b", "x", "2")]),
        (b"\n\n" + HEADER + b"\na,x,1\n\n\nb,x,2\n\n", [("a", "x", "1"), ("b", "x", "2")]),
        (HEADER + b"a,x,1\n   \nb,x,2\n\t\n", [("a", "x", "1"), ("b", "x", "2")]),
        (HEADER + b"a,x,1", [("a", "x", "1")]),
        (HEADER + b'"a, ""b""","x\r\ny",1\n', [('a, "b"', "x\r\ny", "1")]),
        (HEADER + b'5" disk,x,1\nb,y,2\n', [('5" disk', "x", "1"), ("b", "y", "2")]),
        (HEADER + b" a , 007 ,+1\nNULL,NaN,\n", [(" a ", " 007 ", "+1"), ("NULL", "NaN", "")]),
        (b'"anno,tator";instance;rating;worker\nz;"x;y";1,5;a\n', [("a", "x;y", "1,5")]),
        (b"rating|worker|item|\n1|a|x|\n", [("a", "x", "1")]),
        (b",Worker , ITEM,Score\n0,a,x,1\n", [("a", "x", "1")]),
    ],
    ids=[
        "byte order mark", "mark before a quote", "CRLF", "CR", "blank lines", "lines of spaces", "no last newline",
        "quotes", "a quote inside text", "cells untouched", "semicolon", "bars", "names with spaces and an index",
    ],
)  # fmt: skip
def test_usual_and_unusual_text(content, expected, rows):
    assert rows(content) == expected


def test_a_row_longer_than_a_block_is_read(rows):
    long = "x" * (5 << 20)
    assert rows(HEADER + f"a,{long},1\n".encode()) == [("a", long, "1")]


def test_a_header_longer_than_a_block_is_read(rows):
    note = b"n" * 100_000
    header = b",".join([b"annotator,instance,rating", *(b"%d" % n + note for n in range(50))])
    assert rows(header + b"\na,x,1" + b"," * 50 + b"\n") == [("a", "x", "1")]


def test_a_table_of_one_column_is_read(tmp_path):
    (tmp_path / "one").write_bytes(b"item\nx\n\ny\n")
    assert read_table(tmp_path / "one").to_pydict() == {"item": ["x", "y"]}


def test_a_table_leaves_out_columns_without_a_name(tmp_path):
    (tmp_path / "sheet").write_bytes(b"item,gold,,\nx,1,,\n")
    assert read_table(tmp_path / "sheet").to_pydict() == {"item": ["x"], "gold": ["1"]}


def test_quoted_newlines_at_the_end_of_a_block_stay_in_their_cells(rows):
    lines = "\n".join("line" for _ in range(100))
    text = "".join(f'a{n},"{lines}",1\n' for n in range(20_000))  # 10 MB: most blocks end inside a quote
    found = rows(HEADER + text.encode())
    assert len(found) == 20_000
    assert {instance for _, instance, _ in found} == {lines}
