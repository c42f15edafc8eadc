"""Every format and compression gives the same ratings, with ids and types as they are in the file."""

import datetime as dt
import decimal
import os
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pytest
import sample_files
from sample_files import COMPRESSIONS, ROWS, TABLE, WRITERS

from truegrade import read
from truegrade.readers import read_columns, read_table


@pytest.fixture
def write(tmp_path):
    """A function that puts bytes into a file whose name tells nothing."""

    def written(content):
        path = tmp_path / "ratings.dat"
        path.write_bytes(content)
        return path

    return written


def rows_of(columns):
    """The rows of read columns, everything as text."""
    roles = [role for role in ("annotator", "instance", "rating") if getattr(columns, role) is not None]
    cells = zip(*(getattr(columns, role).to_pylist() for role in roles), strict=True)
    return [dict(zip(roles, row, strict=True)) for row in cells]


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_and_compression_gives_the_rows_of_the_table(kind, compression, write):
    path = write(COMPRESSIONS[compression](WRITERS[kind]()))
    assert rows_of(read_columns(path)) == ROWS
    ratings = read(path)
    assert ratings.instances.labels.to_pylist() == [row["instance"] for row in ROWS]
    assert ratings.annotators.labels.to_pylist() == ["007", "NA", " ann ", "🦊, fox"]
    assert ratings.scale.values == (1, 2, 3, 4, 5)
    assert ratings.n_ratings == 5


@pytest.mark.parametrize("kind", WRITERS)
def test_read_table_gives_plain_text_and_all_columns(kind, write):
    table = read_table(write(WRITERS[kind]()))
    assert table.to_pylist() == ROWS
    assert set(table.schema.types) == {pa.string()}


def test_the_name_of_a_file_does_not_matter(tmp_path):
    path = tmp_path / "ratings.csv.gz"
    path.write_bytes(sample_files.parquet())
    assert rows_of(read_columns(path)) == ROWS


def test_gzip_members_one_after_the_other_are_one_file(write):
    header, _, body = sample_files.csv().partition(b"\n")
    compress = COMPRESSIONS["gzip"]
    assert rows_of(read_columns(write(compress(header + b"\n") + compress(body)))) == ROWS


@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream", "feather"])
def test_typed_files_keep_the_types_of_ids_and_ratings(kind, write):
    table = pa.table(
        {
            "annotator": pa.array([7, 8], pa.int64()),
            "instance": pa.array([dt.date(2020, 1, 1), dt.date(2020, 1, 2)]),
            "rating": pa.array([1.5, 2.0]),
        }
    )
    columns = read_columns(write(WRITERS[kind](table)))
    assert [columns.annotator.type, columns.instance.type, columns.rating.type] == table.schema.types
    assert columns.instance.to_pylist() == table["instance"].to_pylist()
    assert read(write(WRITERS[kind](table))).annotators.labels.to_pylist() == [7, 8]


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]
)
@pytest.mark.parametrize("writer", ["parquet, small row groups", "arrow stream"])
def test_every_kind_of_text_becomes_a_dictionary_of_strings(kind, writer, write):
    table = TABLE.set_column(1, "instance", TABLE["instance"].combine_chunks().cast(kind))
    columns = read_columns(write(WRITERS[writer](table)))
    assert columns.instance.type == pa.dictionary(pa.int32(), pa.string())
    assert rows_of(columns) == ROWS


def test_many_small_dictionaries_become_one_without_overflow(write):
    ids = [f"i{n}" for n in range(300)]
    small = pa.dictionary(pa.int8(), pa.string())
    parts = [pa.array(ids[start : start + 100]).cast(small) for start in (0, 100, 200)]
    table = pa.table({"annotator": ["a"] * 300, "instance": pa.chunked_array(parts), "rating": [1] * 300})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert read(write(sink.getvalue().to_pybytes())).instances.labels.to_pylist() == ids


def test_ordered_categories_of_a_parquet_file_are_the_scale(write):
    grades = pa.DictionaryArray.from_arrays(pa.array([2, 0], pa.int8()), ["cold", "warm", "hot"], ordered=True)
    ratings = read(write(sample_files.parquet(pa.table({"worker": ["a", "b"], "task": ["x", "x"], "label": grades}))))
    assert ratings.scale.names == ("cold", "warm", "hot")


def test_decimals_rate_as_numbers(write):
    table = pa.table({"worker": ["a"], "task": ["x"], "label": [decimal.Decimal("2.50")]})
    assert read(write(sample_files.parquet(table))).values().tolist() == [2.5]


def test_columns_that_no_role_needs_are_not_read(write):
    nested = pa.array([{"why": ["because"]}] * 5)
    assert rows_of(read_columns(write(sample_files.parquet(TABLE.append_column("note", nested))))) == ROWS
    latin = sample_files.csv().replace(b'"rating"', b'"rating","note"').replace(b'"1"\n', b'"1","caf\xe9"\n', 1)
    latin = latin.replace(b'"2"\n', b'"2",""\n').replace(b'"3"\n', b'"3",""\n').replace(b'"5"\n', b'"5",""\n')
    assert rows_of(read_columns(write(latin))) == ROWS


def test_category_weight_and_timestamp_are_carried_from_text_and_typed_files(write):
    header, row = b"worker,task,label,query,weight,timestamp\n", b"a,x,1,q1, 2.5 ,2024-05-06T07:08:09\n"
    line = b'{"worker":"a","task":"x","label":1,"query":"q1","weight":2.5,"timestamp":"2024-05-06T07:08:09"}\n'
    moment = dt.datetime(2024, 5, 6, 7, 8, 9)  # noqa: DTZ001  files mostly do not say
    typed = pa.table(
        {"worker": ["a"], "task": ["x"], "label": [1], "query": ["q1"], "weight": [2.5], "timestamp": [moment]}
    )
    for content in (header + row, line, sample_files.parquet(typed)):
        ratings = read(write(content))
        assert ratings.weight.tolist() == [2.5]
        assert ratings.timestamp.tolist() == [moment]
        assert ratings.categories.labels.to_pylist() == ["q1"]


def test_standard_input_is_read_like_a_file():
    program = "import truegrade; r = truegrade.read('-'); print(r.where, r.n_ratings)"
    content = COMPRESSIONS["gzip"](sample_files.parquet())
    run = subprocess.run([sys.executable, "-c", program], input=content, capture_output=True, check=True)
    assert run.stdout.split() == [b"stdin", b"5"]


def test_a_pipe_with_a_name_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(sample_files.csv(),))
    writer.start()
    assert rows_of(read_columns(path)) == ROWS
    writer.join()


def test_a_file_of_many_blocks_and_row_groups_keeps_its_order(write):
    generator = np.random.default_rng(0)
    ids = pa.array([f"instance {n}" for n in generator.integers(0, 5000, 200_000)])
    table = pa.table({"annotator": ids.slice(0, 200_000), "instance": ids, "rating": pa.array(["1"] * 200_000)})
    for content in (sample_files.csv(table), sample_files.parquet(table, row_group_size=30_000)):
        columns = read_columns(write(content))
        assert columns.instance.cast(pa.string()).combine_chunks() == ids
