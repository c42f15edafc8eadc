"""One small table of ratings, written in every format that can be read."""

from __future__ import annotations

import gzip
import io
import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

# Ids that careless readers change: leading zeros, words for nothing, names of roles, spaces, quotes, newlines.
ROWS = [
    {"annotator": "007", "instance": "label", "rating": "1"},
    {"annotator": "NA", "instance": "worker", "rating": "2"},
    {"annotator": " ann ", "instance": "2020-01-01", "rating": "3"},
    {"annotator": "🦊, fox", "instance": 'two "quoted"\nlines', "rating": "3"},
    {"annotator": "007", "instance": "true", "rating": "5"},
]
TABLE = pa.Table.from_pylist(ROWS)


def csv(table: pa.Table = TABLE, delimiter: str = ",") -> bytes:
    sink = io.BytesIO()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(delimiter=delimiter))
    return sink.getvalue()


def json_lines(table: pa.Table = TABLE) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()


def parquet(table: pa.Table = TABLE, **options) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(table, sink, **options)
    return sink.getvalue()


def arrow_file(table: pa.Table = TABLE) -> bytes:
    sink = io.BytesIO()
    with pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


def arrow_stream(table: pa.Table = TABLE) -> bytes:
    sink = io.BytesIO()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


def feather(table: pa.Table = TABLE) -> bytes:
    sink = io.BytesIO()
    pyarrow.feather.write_feather(table, sink)
    return sink.getvalue()


def zstd(content: bytes) -> bytes:
    return pa.compress(content, codec="zstd", asbytes=True)


WRITERS = {
    "csv": csv,
    "tsv": lambda table=TABLE: csv(table, "\t"),
    "semicolons": lambda table=TABLE: csv(table, ";"),
    "bars": lambda table=TABLE: csv(table, "|"),
    "json lines": json_lines,
    "parquet": parquet,
    "parquet, small row groups": lambda table=TABLE: parquet(table, row_group_size=2),
    "parquet, plain": lambda table=TABLE: parquet(table, use_dictionary=False),
    "arrow file": arrow_file,
    "arrow stream": arrow_stream,
    "feather": feather,
}
COMPRESSIONS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd}
