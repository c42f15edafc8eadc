"""JSON lines: what Arrow reads and what Python reads line by line must be the same."""

import pytest

from truegrade.errors import FileError
from truegrade.readers import read_columns, read_table
from truegrade.roles import Roles


def line(item='"x"', judge='"a"', score="1"):
    return f'{{"item": {item}, "judge": {judge}, "score": {score}}}\n'


# Arrow gives up on a column that is text here and a number there, so these lines force the slow reader.
MIXED = '{"note": 1}\n{"note": "one"}\n'


@pytest.fixture(params=["by Arrow", "by line"])
def cells(tmp_path, request):
    """A function from lines to the three columns, by each of the two ways to read them."""

    def read_cells(text):
        path = tmp_path / "ratings"
        by_line = request.param == "by line"
        path.write_text((MIXED if by_line else "") + text, encoding="utf-8")
        columns = read_columns(path)
        found = (columns.instance, columns.annotator, columns.rating)
        rows = list(zip(*(column.to_pylist() for column in found), strict=True))
        return rows[2:] if by_line else rows

    return read_cells


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (line(item="7", score="4"), ("7", "a", "4")),
        (line(item="-0.5", score="4.0"), ("-0.5", "a", "4")),
        (line(item="true", score="4.5"), ("true", "a", "4.5")),
        (line(item='"2020-01-01"', judge='"2020-01-01T00:00:00"'), ("2020-01-01", "2020-01-01T00:00:00", "1")),
        (line(item="9007199254740993"), ("9007199254740993", "a", "1")),
        (line(item="12345678901234567890"), ("12345678901234567890", "a", "1")),
        (line(score="NaN"), ("x", "a", None)),
        (line(score="null"), ("x", "a", None)),
        (line(item='"caf\\u00e9"', judge='"🦊"'), ("café", "🦊", "1")),
        ("\n  \n" + line(), ("x", "a", "1")),
    ],
)
def test_values_become_their_text(text, row, cells):
    assert cells(text) == [row]


def test_missing_keys_are_null(cells):
    assert cells('{"item": "x", "judge": "a"}\n{"score": 2, "item": "y"}\n{"judge": "b", "item": "z"}\n') == [
        ("x", "a", None),
        ("y", None, "2"),
        ("z", "b", None),
    ]


def test_numbers_and_text_in_one_column_are_both_text(cells):
    assert cells(line(item="7") + line(item='"7"')) == [("7", "a", "1")] * 2


def test_a_date_after_the_sample_stays_text(cells):
    without = '{"judge": "a", "score": 1}\n' * 1500
    assert cells(without + line(item='"2020-01-01"'))[-1] == ("2020-01-01", "a", "1")


def test_a_byte_order_mark_is_no_content(tmp_path):
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf" + line().encode())
    assert read_columns(tmp_path / "f").instance.to_pylist() == ["x"]


def test_roles_may_come_from_any_key(tmp_path):
    (tmp_path / "f").write_text('{"what": "x", "model": "gpt", "stars": 3, "why": {"text": "good"}}\n')
    columns = read_columns(tmp_path / "f", Roles(annotator="model", instance="what", rating="stars"))
    assert (columns.instance.to_pylist(), columns.rating.to_pylist()) == (["x"], ["3"])


def test_a_table_leaves_out_lists_and_objects(tmp_path):
    (tmp_path / "f").write_text('{"item": 7, "gold": 2, "tags": ["a"]}\n{"item": 8, "gold": 2.5}\n')
    assert read_table(tmp_path / "f").to_pydict() == {"item": ["7", "8"], "gold": ["2", "2.5"]}


@pytest.mark.parametrize("end", ["null", " null", "[1]", "3"])
def test_a_last_line_that_is_no_object(end, tmp_path):
    """Arrow crashes on a block that begins with null, so it must never see one."""
    path = tmp_path / "ratings"
    path.write_text(line() + end)
    with pytest.raises(FileError, match=r"row 2: '.*' is no JSON object"):
        read_columns(path)
