"""Shards laid end to end are what read() gives: same codes, same order, whatever the cut and the files."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from sharding import end_to_end, ids_by_code, shards_of

from truegrade.errors import ColumnError, FileError, IdError, OptionError, RatingError, ScaleError
from truegrade.ingest.survey import SURVEYED, Rules, survey
from truegrade.readers import read
from truegrade.readers.dataset import Dataset
from truegrade.roles import Roles

ROWS = 300


def ratings_table(seed=0, rows=ROWS, ids=str, **more):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "worker": [f"w{n}" for n in rng.integers(0, 12, rows)],
            "item": [ids(n) for n in rng.integers(0, 60, rows)],
            "rating": rng.integers(1, 6, rows),
            **more,
        }
    )


def same(shards, settled, whole):
    """Whether the shards are the whole in pieces."""
    found = end_to_end(shards)
    for name in ("annotator", "grade", "real", "weight", "category", "instance_ptr"):
        np.testing.assert_array_equal(found[name], getattr(whole, name), err_msg=name)
    np.testing.assert_array_equal(found["row"], whole.row)
    assert found["ids"] == ids_by_code(whole.instances)
    for role in ("annotators", "categories"):
        one, other = getattr(settled, role), getattr(whole, role)
        assert (one is None) == (other is None)
        if one is not None:
            assert one.labels.equals(other.labels)
            np.testing.assert_array_equal(one.code, other.code)
    for name in ("scale", "n_rows", "n_dropped", "n_missing", "unobserved"):
        assert getattr(settled, name) == getattr(whole, name), name
    assert sum(shard.n_repeats for shard in shards) == whole.n_repeats
    for shard in shards:
        assert shard.instances.labels.type == whole.instances.labels.type
        first = [shard.row[at:to].min() for at, to in zip(shard.instance_ptr, shard.instance_ptr[1:], strict=False)]
        assert np.all(np.diff(np.array(first)[shard.instances.code]) > 0)  # labels in order of first appearance


@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("ids", [str, int, float])
def test_shards_end_to_end_are_the_whole(tmp_path, shards, ids):
    path = tmp_path / "ratings.parquet"
    parquet.write_table(ratings_table(ids=ids), path, row_group_size=64)
    found, settled = shards_of(path, -(-ROWS // shards))
    assert len(found) == shards
    same(found, settled, read(path))


@pytest.mark.parametrize("rows", [ROWS, 250, 25])
def test_categories_come_before_instances_and_big_ones_are_cut(tmp_path, rows):
    item = np.random.default_rng(3).integers(0, 60, ROWS)
    category = np.where(item < 40, "big", np.where(item < 50, "middle", "small"))
    table = ratings_table().set_column(1, "item", pa.array(item)).append_column("query", pa.array(category))
    path = tmp_path / "ratings.parquet"
    parquet.write_table(table, path)
    found, settled = shards_of(path, rows)
    assert (len(found) > 3) == (rows == 25)
    same(found, settled, read(path))


def test_dictionaries_weights_blanks_and_codes(tmp_path):
    rng = np.random.default_rng(5)
    table = ratings_table().set_column(
        2, "rating", pa.array([None if r == 0 else -2 if r == 1 else r / 2 for r in rng.integers(0, 9, ROWS)])
    )
    table = table.append_column("weight", pa.array(rng.integers(0, 3, ROWS) / 2))
    for name in ("worker", "item"):
        at = table.column_names.index(name)
        table = table.set_column(at, name, table[name].dictionary_encode())
    path = tmp_path / "ratings.arrow"
    feather.write_feather(table, path, chunksize=50)
    found, settled = shards_of(path, 60, drop_values=(-2,), missing="drop")
    same(found, settled, read(path, drop_values=(-2,), missing="drop"))
    assert settled.total_weight == read(path, drop_values=(-2,), missing="drop").total_weight


@pytest.mark.parametrize("duplicates", ["first", "last"])
def test_repeats(tmp_path, duplicates):
    path = tmp_path / "ratings.parquet"
    parquet.write_table(ratings_table(), path)
    found, settled = shards_of(path, 60, duplicates=duplicates)
    same(found, settled, read(path, duplicates=duplicates))
    with pytest.raises(RatingError, match=r"row \d+: annotator 'w\d+' rated instance '\d+' more than once"):
        shards_of(path, 60, duplicates="error")


def test_real_and_named_scales(tmp_path):
    path = tmp_path / "real.parquet"
    parquet.write_table(
        ratings_table().set_column(2, "score", pa.array(np.random.default_rng(1).normal(size=ROWS))), path
    )
    found, settled = shards_of(path, 60, scale="real")
    same(found, settled, read(path, scale="real"))
    with pytest.raises(ScaleError, match="need more than 101 grades"):
        shards_of(path, 60)
    path = tmp_path / "named.parquet"
    named = ["cold", "warm", "hot"] * (ROWS // 3)
    parquet.write_table(ratings_table().set_column(2, "grade", pa.array(named)), path)
    found, settled = shards_of(path, 60, scale="cold,warm,hot")
    same(found, settled, read(path, scale="cold,warm,hot"))


def test_text_files(tmp_path):
    path = tmp_path / "ratings.csv"
    csv.write_csv(ratings_table(), path)
    path.write_text(path.read_text() + '   \n"w1","odd"" one",3\n')
    found, settled = shards_of(path, 60)
    same(found, settled, read(path))
    path.write_text("worker,item,rating\na,b,1\na,b\n")
    with pytest.raises(FileError, match="row 2 has 2 fields where the header has 3"):
        shards_of(path, 60)


def test_a_folder_is_its_files_one_after_the_other(tmp_path):
    table, folder = ratings_table(), tmp_path / "ratings"
    folder.mkdir()
    for at in range(0, ROWS, 40):
        parquet.write_table(table.slice(at, 40), folder / f"part-{at:03}.parquet")
    (folder / "_SUCCESS").write_text("")
    (folder / ".part.crc").write_text("x")
    parquet.write_table(table, tmp_path / "whole.parquet")
    found, settled = shards_of(folder, 60)
    same(found, settled, read(tmp_path / "whole.parquet"))
    assert settled.row_label(45) == f"{folder}/part-040.parquet: row 6"


def test_folders_spell_columns(tmp_path):
    table = ratings_table().append_column("query", pa.array(["a b" if n < 200 else "c" for n in range(ROWS)]))
    table = table.set_column(
        1, "item", pa.array([f"{n}{q}" for n, q in zip(range(ROWS), table["query"].to_pylist(), strict=True)])
    )
    for name, at in (("a%20b", 0), ("c", 200)):
        (tmp_path / "ratings" / f"query={name}").mkdir(parents=True)
        part = table.slice(at, 200).drop_columns("query")
        parquet.write_table(part, tmp_path / "ratings" / f"query={name}" / "0.parquet")
    parquet.write_table(table, tmp_path / "whole.parquet")
    found, settled = shards_of(tmp_path / "ratings", 60)
    same(found, settled, read(tmp_path / "whole.parquet"))


def test_the_order_of_the_rows_changes_no_code(tmp_path):
    table = ratings_table()
    shuffled = table.take(np.random.default_rng(1).permutation(ROWS))
    parquet.write_table(table, tmp_path / "one.parquet")
    parquet.write_table(shuffled, tmp_path / "two.parquet")
    one, two = (end_to_end(shards_of(tmp_path / name, 60)[0]) for name in ("one.parquet", "two.parquet"))
    for name in ("annotator", "grade", "instance_ptr", "ids"):
        np.testing.assert_array_equal(one[name], two[name])


def test_surveys_of_neighbouring_files_join(tmp_path):
    for part in range(3):
        more = {"topic": [f"t{part}"] * ROWS}
        parquet.write_table(ratings_table(part, ids=lambda n, p=part: f"{p}-{n}", **more), tmp_path / f"{part}.parquet")
    dataset, rules = Dataset.open(tmp_path), Rules()
    whole = survey(dataset.batches(50, SURVEYED), rules)
    joined = survey(dataset.batches(50, SURVEYED, files=[0]), rules)
    for part in (1, 2):
        joined.join(survey(dataset.batches(50, SURVEYED, files=[part]), rules))
    for name in ("rows_of_file", "n_kept", "total_weight"):
        assert getattr(joined, name) == getattr(whole, name)
    assert joined.annotators.labels().equals(whole.annotators.labels())
    assert joined.categories.labels().equals(whole.categories.labels())
    np.testing.assert_array_equal(joined.of_category, whole.of_category)
    np.testing.assert_array_equal(joined.seen, whole.seen)


def test_what_cannot_be_streamed_is_refused_in_one_line(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"worker": "a", "item": "x", "rating": 1}\n')
    (tmp_path / "wide.csv").write_text("item,ann,bob\nx,1,2\n")
    for source, told in (("-", "stdin"), (tmp_path / "r.jsonl", "JSON"), (tmp_path / "wide.csv", "wide matrix")):
        with pytest.raises(OptionError, match=told) as caught:
            Dataset.open(source)
        assert "\n" not in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="holds no files"):
        Dataset.open(tmp_path / "empty")


def test_files_that_differ_are_named(tmp_path):
    parquet.write_table(ratings_table(), tmp_path / "a.parquet")
    parquet.write_table(ratings_table(ids=int), tmp_path / "b.parquet")
    with pytest.raises(ColumnError, match=r"b\.parquet: column 'item' holds int64, but text in .*a\.parquet"):
        shards_of(tmp_path, 60)
    parquet.write_table(ratings_table().drop_columns("item"), tmp_path / "b.parquet")
    with pytest.raises(ColumnError, match=r"b\.parquet: no column 'item', which other files have"):
        shards_of(tmp_path, 60)


def test_a_broken_file_among_a_hundred_is_named(tmp_path):
    for part in range(100):
        parquet.write_table(ratings_table(part, rows=20), tmp_path / f"{part:02}.parquet")
    content = (tmp_path / "57.parquet").read_bytes()
    (tmp_path / "57.parquet").write_bytes(content[:100] + bytes(60) + content[160:])
    with pytest.raises(FileError, match=r"57\.parquet: this Parquet file cannot be read"):
        shards_of(tmp_path, 300)


def test_bad_cells_are_named_by_file_and_row(tmp_path):
    good = ratings_table(rows=30)
    parquet.write_table(good, tmp_path / "a.parquet")
    worker = pa.array([*good["worker"].to_pylist()[:17], " ", *good["worker"].to_pylist()[18:]])
    parquet.write_table(good.set_column(0, "worker", worker), tmp_path / "b.parquet")
    with pytest.raises(IdError, match=r"b\.parquet: row 18: the annotator is blank"):
        shards_of(tmp_path, 60)
    parquet.write_table(good.set_column(2, "rating", pa.array([1.0] * 20 + [None] + [2.0] * 9)), tmp_path / "b.parquet")
    with pytest.raises(RatingError, match=r"b\.parquet: row 21: the rating is missing"):
        shards_of(tmp_path, 60)
    parquet.write_table(good.slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(RatingError, match="there are no ratings"):
        shards_of(tmp_path / "none.parquet", 60)


def test_roles_by_name(tmp_path):
    table = ratings_table().rename_columns(["who", "what", "how"])
    parquet.write_table(table, tmp_path / "r.parquet")
    roles = {"annotator": "who", "instance": "what", "rating": "how"}
    found, settled = shards_of(tmp_path / "r.parquet", 60, Roles(**roles))
    same(found, settled, read(tmp_path / "r.parquet", **roles))
