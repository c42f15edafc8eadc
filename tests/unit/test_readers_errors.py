"""Files that cannot be read: one line that names the file, the row, what was found and what to do."""

import gzip
import os

import numpy as np
import pyarrow as pa
import pytest
import sample_files
from sample_files import COMPRESSIONS, WRITERS

from truegrade import read
from truegrade.errors import ColumnError, FileError, OptionError, RatingError, TruegradeError
from truegrade.readers import read_table
from truegrade.roles import ALIASES

HEADER = b"annotator,instance,rating\n"
ROW = b"a,x,1\n"
MANY_ROWS = b"".join(b"a,x%d,1\n" % n for n in range(50_000))


@pytest.fixture
def message(tmp_path):
    """A function from a file's bytes to the error that reading them ends in; checks what all errors share."""

    def failed(content, error=FileError, **options):
        path = tmp_path / "ratings"
        path.write_bytes(content)
        with pytest.raises(error) as caught:
            read(path, **options)
        text = str(caught.value)
        assert type(caught.value) is error
        assert text.startswith(f"{path}: ")
        assert "\n" not in text
        assert len(text) < len(str(path)) + 300
        return text.removeprefix(f"{path}: ")

    return failed


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf"])
def test_empty_files(content, compression, message):
    assert message(COMPRESSIONS[compression](content)).startswith("is empty; give a file")


@pytest.mark.parametrize("content", [HEADER, HEADER.strip(), HEADER + b"\n \n", HEADER.replace(b"\n", b"\r\n")])
def test_a_header_without_rows(content, message):
    assert message(content) == "no ratings, only the header; add a row for each"


@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream", "feather"])
def test_a_schema_without_rows(kind, message):
    empty = sample_files.TABLE.slice(0, 0)
    assert message(WRITERS[kind](empty)) == "no ratings, only the header; add a row for each"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (ROW + b"b,x\n", "row 2 has 2 fields where the header has 3; mend the delimiters: complete the row"),
        (ROW + b"\n\nb\n", "row 2 has 1 field where the header has 3"),
        (b"a,x,y,1\n" + ROW, "row 1 has 4 fields where the header has 3; mend the delimiters: quote"),
        (b'"a\nb",x,1\n' + b"b,x\n", "row 2 has 2 fields"),
        (MANY_ROWS + b"b,x\n" + MANY_ROWS, "row 50001 has 2 fields"),
        (MANY_ROWS * 12 + b"b,x\n" + MANY_ROWS, "row 600001 has 2 fields"),
    ],
    ids=["short", "shorter", "long", "after a quoted newline", "in the middle", "in a later block"],
)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_rows_with_too_few_or_too_many_fields(rows, told, compression, message):
    assert message(COMPRESSIONS[compression](HEADER + rows)).startswith(told)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_text_that_is_not_utf8(compression, message):
    def told(content):
        return message(COMPRESSIONS[compression](content))

    assert (
        told(HEADER + b"a,x,1\nb\xe9b,x,2\n") == "line 3, byte 33 is 0xe9, which is not UTF-8; save the file as UTF-8"
    )
    assert told(b"annot\xe4tor,instance,rating\n").startswith("line 1, byte 5 is 0xe4")
    assert told(HEADER + MANY_ROWS * 6 + b"\xff,x,1\n").startswith(
        f"line 300002, byte {26 + 6 * len(MANY_ROWS)} is 0xff"
    )
    assert told(b'{"item": "x"}\n{"item": "\xe9"}\n').startswith("line 2, byte 24 is 0xe9")
    assert told(b'{"\xe9": "x"}\n').startswith("line 1, byte 2 is 0xe9")


def test_a_character_cut_at_a_block_is_no_error_and_one_cut_at_the_end_is(message):
    filler = b"x" * ((1 << 20) - len(HEADER) - 1)
    good = HEADER + filler + "é,y,1\n".encode() + b"\xff,z,1\n"
    assert f"byte {len(good) - 6} is 0xff" in message(good)
    assert "byte 30 is 0xc3" in message(HEADER + b"a,x,\xc3")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
def test_wider_encodings_are_named_or_called_no_utf8(encoding, message):
    text = message("annotator,instance,rating\na,x,1\n".encode(encoding))
    assert ("no text in UTF-8" if encoding == "utf-16-le" else f"is {encoding.upper()}") in text


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (bytes(range(256)), "unrecognised content"),
        (b"PK\x03\x04\x14\x00", "is a ZIP archive or a spreadsheet"),
        (b"BZh91AY", "is compressed with bzip2"),
        (b"PARE\x00", "is an encrypted Parquet file"),
        (b"FEA1\x00\x00", "is Feather of version 1"),
        (b"[[1, 2], [3, 4]]", "is a JSON array of arrays"),
        (b"<!DOCTYPE html><html>", "is a web page or XML"),
        (gzip.compress(gzip.compress(HEADER)), "unrecognised content"),
    ],
)
def test_content_of_other_kinds(content, told, message):
    assert told in message(content)


def test_a_json_array_of_no_ratings(message):
    told = "no key for the annotator; the records have 'item'; pass --annotator KEY (a.b for b inside a)"
    assert message(b'[{"item": 1}]', ColumnError) == told


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_compressed_files_cut_short(kind, compression, message):
    whole = COMPRESSIONS[compression](WRITERS[kind]())
    assert f"{compression}-compressed" in message(whole[:-4])
    assert f"{compression}-compressed" in message(whole[:6])


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_long_compressed_text_cut_in_the_middle(compression, message):
    numbers = np.random.default_rng(0).integers(0, 1 << 40, 100_000)
    table = pa.table({"annotator": numbers, "instance": numbers, "rating": np.ones(numbers.size)})
    for text in (sample_files.csv(table), sample_files.json_lines(table)):
        whole = COMPRESSIONS[compression](text)
        assert f"{compression}-compressed" in message(whole[: len(whole) // 2])


@pytest.mark.parametrize("kind", ["parquet", "arrow file", "feather"])
def test_columnar_files_cut_short(kind, message):
    whole = WRITERS[kind]()
    for content in (whole[:-1], whole[: len(whole) // 2], whole[:8]):
        assert "looks damaged or cut short" in message(content)


def test_an_arrow_stream_with_a_wild_offset_is_found_damaged(message):
    table = pa.table({"annotator": ["a" * 40], "instance": ["x"], "rating": ["1"]})
    whole = sample_files.arrow_stream(table)
    end = (40).to_bytes(4, "little") + bytes(4)  # the offsets of the first text: 0, 40
    before, found, after = whole.rpartition(bytes(4) + end[:4])  # what stands earlier is about the data
    wild = before + bytes(4) + (1 << 30).to_bytes(4, "little") + after
    assert found
    assert "looks damaged" in message(wild)


def test_a_quote_that_is_never_closed(message):
    noted = b"annotator,instance,rating,note\n"
    assert message(noted + b'a,x,1,ok\nb,x,2,"oops\nc,x,2,\n').startswith("row 2: a quote is never closed")
    assert "has no header" in message(b'"' + b"x" * 200_000)


def test_columns_that_are_missing_or_ambiguous(message):
    assert "no column for the rating" in message(b"annotator,instance,stars\na,x,1\n", ColumnError)
    assert message(b"a,x,1\nb,x,2\n", ColumnError).endswith("or is the header missing?")
    assert "header missing" not in message(b"judge,stars\na,1\n", ColumnError)
    assert "no column 'stars' (--rating)" in message(HEADER + ROW, ColumnError, rating="stars")
    assert "'worker', 'rater' could each be the annotator" in message(
        b"worker,rater,item,label\na,b,x,1\n", ColumnError
    )
    twice = b"annotator,instance,rating,rating\na,x,1,2\n"
    assert message(twice, ColumnError) == "2 columns are called 'rating'; rename all but one"
    typed = pa.table([["a"], ["x"], [1], [2]], names=["annotator", "instance", "rating", "rating"])
    assert "2 columns are called" in message(sample_files.parquet(typed), ColumnError)


@pytest.mark.parametrize("role", ALIASES)
def test_every_usual_name_of_a_role_is_known_and_explicit_names_win(role, tmp_path):
    usual = {"annotator": "annotator", "instance": "instance", "rating": "rating"}
    for name in (*ALIASES[role], f" {role.upper()} "):
        names = {**usual, role: name}
        cells = {"annotator": "a", "instance": "x", "rating": "1", "category": "q", "weight": "2", "timestamp": "5"}
        path = tmp_path / "f"
        path.write_text(f"{','.join(names.values())},other\n{','.join(cells[r] for r in names)},3\n")
        ratings = read(path)
        assert ratings.values().tolist() == [1]
        assert ratings.instances.labels.to_pylist() == ["x"]
        assert (ratings.categories is not None) == (role == "category")
        assert ratings.total_weight == (2 if role == "weight" else 1)
        assert (ratings.timestamp is not None) == (role == "timestamp")
        if role in usual:
            other = read(path, **{role: "other"})
            chosen = {"annotator": other.annotators, "instance": other.instances}.get(role)
            assert (chosen.labels.to_pylist() if chosen else other.values().tolist()) in (["3"], [3])


def test_lists_and_objects_in_a_column_that_is_needed(message):
    line = b'{"item": "x", "judge": ["a"], "score": 1}\n'
    assert message(line, ColumnError).startswith("column 'judge' holds lists or objects (list<item: string>)")
    mixed = b'{"item": "x", "judge": "b", "score": 1}\n' + line
    assert message(mixed, ColumnError).startswith("column 'judge' holds lists or objects (row 2: [\"a\"])")
    typed = pa.table({"item": ["x"], "judge": [{"id": 1}], "score": [1]})
    assert "struct<id: int64>" in message(sample_files.parquet(typed), ColumnError)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"item": "x"', "not JSON (Expecting ',' delimiter at character"),
        ("[1]", "'[1]' is no JSON object"),
        ('{"item": 1, "item": 2}', "the key 'item' stands there twice"),
        ('{"item": "\\ud800"}', "half a character"),
        ('{"item":' * 5000, ("recursion", "Expecting value")),  # by Python's version
        ('{"item": ' + "9" * 5000 + "}", "digits"),
    ],
)
def test_broken_lines_of_json_are_counted_without_blank_lines(line, told, message):
    text = message(b'{"item": "x"}\n\n' + line.encode() + b"\n")
    assert text.startswith("row 2: ")
    assert any(part in text for part in ([told] if isinstance(told, str) else told))


def test_weights_that_are_no_numbers(message):
    header = b"annotator,instance,rating,weight\n"
    weighted = b"".join(b"a,x%d,1,0.5\n" % n for n in range(2500))
    heavy = header + weighted + b"b,x,1,heavy\n" + weighted * 4
    assert message(heavy, RatingError).startswith("row 2501: weight 'heavy' is not a number; correct it")
    assert message(header + b"a,x,1,1\nb,x,1,\n", RatingError).startswith("row 2: the weight is blank")


def test_bytes_that_are_no_text_in_a_typed_file(message):
    table = pa.table({"annotator": [b"\xff"], "instance": ["x"], "rating": [1]})
    assert "UTF8" in message(sample_files.parquet(table)).upper()


def test_sources_that_are_no_readable_files(tmp_path):
    for source, told in [
        (tmp_path / "absent.csv", "no such file"),
        (tmp_path, "is a folder"),
        ("nul\0byte", "cannot be opened"),
        ("x" * 5000, "cannot be opened"),
    ]:
        with pytest.raises(FileError, match=told):
            read(source)


def test_a_file_without_permission(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(HEADER + ROW)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    with pytest.raises(FileError, match="no permission to read it"):
        read(path)


def test_options_of_encoding_are_passed_on(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(HEADER + b"a,x,1\na,x,3\nb,x,-2\nb,y,\n")
    ratings = read(path, scale="1..5", drop_values=["-2"], missing="drop", duplicates="last")
    assert (ratings.n_ratings, ratings.n_dropped, ratings.n_missing, ratings.n_repeats) == (1, 1, 1, 1)
    assert ratings.values().tolist() == [3]
    with pytest.raises(OptionError):
        read(path, missing="ignore")


def test_read_table_ends_in_the_same_errors(tmp_path):
    (tmp_path / "gold").write_bytes(b"item,gold\n")
    with pytest.raises(FileError, match="no rows, only the header"):
        read_table(tmp_path / "gold")
    (tmp_path / "gold").write_bytes(b"item,gold\nx\n")
    with pytest.raises(TruegradeError, match="row 1 has 1 field"):
        read_table(tmp_path / "gold")


def test_column_names_that_cannot_be_looked_up(message):
    line = b'{"item": "x", "judge": "a", "score": 1, "no\\u0000te": 2}\n'
    assert "null character" in message(line, ColumnError)
    stream = sample_files.arrow_stream()
    assert "looks damaged" in message(stream.replace(b"annotator", b"annot\xffator"[:9]))


@pytest.mark.parametrize("there", [b"}", b"'descr'", b"False"])
def test_a_numpy_array_with_a_damaged_header(there, tmp_path):
    np.save(tmp_path / "m.npy", np.ones((2, 2)))
    (tmp_path / "m.npy").write_bytes((tmp_path / "m.npy").read_bytes().replace(there, b"(" * len(there)))
    with pytest.raises(FileError, match="this NumPy array cannot be read"):
        read(tmp_path / "m.npy")
