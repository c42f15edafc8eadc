"""Exports of labelling tools: a small file of each, what is read from it, and a file that is almost right."""

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import truegrade as tg
from truegrade.errors import ColumnError, FileError, GoldError, OptionError, TruegradeError
from truegrade.readers import jsonstream, read_columns
from truegrade.readers.source import open_source

EXPORTS = Path(__file__).parents[1] / "exports"


def triples(path, **options):
    """The ratings of a file as (instance, annotator, rating), in the order of the file."""
    columns = read_columns(path, **options)
    return list(
        zip(columns.instance.to_pylist(), columns.annotator.to_pylist(), columns.rating.to_pylist(), strict=True)
    )


# Every example holds these three ratings, of two items by two people, however its tool calls them.
FILES = {
    "label_studio.json": ({"question": "quality"}, ["101", "102"], ["ann@example.org", "8"]),
    "label_studio_min.json": ({"question": "quality"}, ["101", "102"], ["7", "8"]),
    "label_studio.csv": ({"question": "quality"}, ["101", "102"], ["7", "8"]),
    "argilla.json": ({"question": "quality"}, ["r1", "r2"], ["u-ann", "u-bob"]),
    "argilla_flat.json": ({}, ["r1", "r2"], ["u-ann", "u-bob"]),
    "argilla_1.json": ({}, ["r1", "r2"], ["u-ann", "u-bob"]),
    "argilla_1_flat.jsonl": ({}, ["r1", "r2"], ["u-ann", "u-bob"]),
    "mturk.csv": ({}, ["H1", "H2"], ["W1", "W2"]),
    "mturk_one_hot.csv": ({}, ["H1", "H2"], ["W1", "W2"]),
    "mturk_crowd.csv": ({}, ["H1", "H2"], ["W1", "W2"]),
    "toloka.tsv": ({}, ["t1", "t2"], ["wA", "wB"]),
    "prodigy.jsonl": ({}, ["-1203", "77"], ["set-ann", "set-bob"]),
    "peerannot.json": ({}, ["0", "1"], ["3", "5"]),
    "judges.jsonl": ({"question": "helpful"}, ["p1", "p2"], ["model-a", "model-b"]),
    "judges_nested.json": ({}, ["p1", "p2"], ["model-a", "model-b"]),
    "snorkel.npy": ({}, ["0", "1"], ["0", "1"]),
    "cleanlab.csv": ({"from_": "cleanlab"}, ["x", "y"], ["ann", "bob"]),
    "krippendorff.csv": ({"from_": "krippendorff"}, ["0", "1"], ["0", "1"]),
    "rater_grouped.csv": ({}, ["1", "2"], ["ann", "bob"]),
    "rater_wide.csv": ({"from_": "rater-wide"}, ["1", "2"], ["ann", "bob"]),
}
LEFT_OUT = {
    "label_studio.json": "3 answers left out: 1 with several choices, 1 cancelled, 1 draft",
    "argilla.json": "1 answer left out: 1 with several choices",
    "argilla_flat.json": "2 answers left out: 1 draft, 1 discarded",
    "argilla_1.json": "1 answer left out: 1 discarded",
    "argilla_1_flat.jsonl": "1 answer left out: 1 draft",
    "mturk.csv": "2 answers left out: 1 rejected, 1 without an answer",
    "mturk_one_hot.csv": "1 answer left out: 1 without an answer",
    "toloka.tsv": "3 answers left out: 2 rejected, 1 skipped",
    "prodigy.jsonl": "3 answers left out: 1 ignored, 1 rejected, 1 without an answer",
    "judges.jsonl": "1 answer left out: 1 without an answer",
}
EXPECTED = [(0, 0, "4"), (0, 1, "2"), (1, 0, "5")]


@pytest.mark.parametrize("name", FILES)
def test_the_examples_are_found_by_their_content(name):
    options, items, people = FILES[name]
    found = triples(EXPORTS / name, **options)
    expected = {(items[i], people[n], grade) for i, n, grade in EXPECTED}
    assert len(found) == len(expected)
    assert set(found) == expected
    ratings = tg.read(EXPORTS / name, **options)
    assert str(ratings.scale) == "2..5"
    assert [note for note in ratings.told if "left out" in note] == ([LEFT_OUT[name]] if name in LEFT_OUT else [])


@pytest.mark.parametrize("name", FILES)
def test_compressed_and_with_a_byte_order_mark(name, tmp_path):
    options = FILES[name][0]
    path = tmp_path / "export"
    mark = b"" if name.endswith("npy") else b"\xef\xbb\xbf"
    path.write_bytes(gzip.compress(mark + (EXPORTS / name).read_bytes()))
    assert triples(path, **options) == triples(EXPORTS / name, **options)


def test_a_matrix_is_turned_as_its_name_says(tmp_path):
    """The same cells as Snorkel, cleanlab and krippendorff mean them."""
    np.save(tmp_path / "m.npy", np.array([[1, np.nan, 3], [2, 2, np.nan]]))
    with pytest.raises(FileError, match="is a matrix without names; pass --from cleanlab if it has a row per instance"):
        tg.read(tmp_path / "m.npy")
    rows = triples(tmp_path / "m.npy", from_="cleanlab")
    assert rows == [("0", "0", "1"), ("0", "2", "3"), ("1", "0", "2"), ("1", "1", "2")]
    assert triples(tmp_path / "m.npy", from_="krippendorff") == [(n, m, grade) for m, n, grade in rows]
    text = tmp_path / "m.csv"
    text.write_text("1;;3\n2;2;*\n")
    with pytest.raises(TruegradeError, match="rating '\\*' is not a number"):
        tg.read(text, from_="cleanlab")
    text.write_text("unit;a;b;c\nu1;1;;3\nu2;-1;2;2\n")
    assert triples(text, from_="cleanlab")[2] == ("u2", "a", "-1")
    assert triples(text, from_="snorkel")[2] == ("u2", "b", "2")
    text.write_text("1,3\n3\n")
    with pytest.raises(FileError, match="row 2 has 1 cells where the first has 2"):
        tg.read(text, from_="cleanlab")


@pytest.mark.parametrize(
    ("text", "from_", "expected"),
    [
        ("4,1\n3,2\n5,5\n", "cleanlab", [("0", "0", "4"), ("0", "1", "1"), ("1", "0", "3")]),
        ("-1,0,1\n1,1,-1\n", "snorkel", [("0", "1", "0"), ("0", "2", "1"), ("1", "0", "1")]),
        ("-1.0,0.0\n1.0,-1.0\n", "snorkel", [("0", "1", "0.0"), ("1", "0", "1.0")]),
        ("-1.0e+00 2.0e+00\n1.0e+00 -1.0e+00\n", "snorkel", [("0", "1", "2.0e+00"), ("1", "0", "1.0e+00")]),
        (",0,1\n0,3,2\n1,,2\n", "cleanlab", [("0", "0", "3"), ("0", "1", "2"), ("1", "1", "2")]),
        (",0,1\n1,0,1\n1,1,1\n", "cleanlab", [("0", "1", "0"), ("0", "2", "1"), ("1", "0", "1")]),
        ("0,1,2,3,4,5,6\n5,,,,,,1\n", "cleanlab", [("0", "0", "5"), ("0", "6", "1")]),
    ],
)
def test_the_first_row_of_a_matrix_is_ratings_unless_it_holds_names(text, from_, expected, tmp_path):
    (tmp_path / "m.csv").write_text(text)
    assert triples(tmp_path / "m.csv", from_=from_)[:3] == expected


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_several_choices_in_a_flat_row_of_label_studio_are_left_out(ending, tmp_path):
    """As in Label Studio's JSON; JSON-MIN and CSV write them as {"choices": [...]}."""
    path = tmp_path / f"flat.{ending}"
    choices = [["a", "b"], "a", ["b"]]
    tones = [{"choices": given} if isinstance(given, list) else given for given in choices]
    rows = [{"id": n, "annotator": 7, "annotation_id": n, "lead_time": 1, "tone": tone} for n, tone in enumerate(tones)]
    if ending == "json":
        path.write_text(json.dumps(rows))
    else:
        cells = [json.dumps(row["tone"]).replace('"', '""') if row["id"] != 1 else row["tone"] for row in rows]
        lines = [f'{n},7,{n},1,"{cell}"' for n, cell in enumerate(cells)]
        path.write_text("\n".join(["id,annotator,annotation_id,lead_time,tone", *lines]) + "\n")
    assert triples(path, question="tone") == [("1", "7", "a"), ("2", "7", "b")]
    assert "1 with several choices" in " ".join(read_columns(path, question="tone").notes)


def test_truths_that_contradict_each_other_are_not_converted(tmp_path):
    head = "INPUT:i\tOUTPUT:r\tGOLDEN:r\tASSIGNMENT:task_id\tASSIGNMENT:worker_id\tASSIGNMENT:status\n"
    (tmp_path / "t.tsv").write_text(head + "a\t1\t2\tt1\tw1\tAPPROVED\na\t2\t3\tt1\tw2\tAPPROVED\n")
    with pytest.raises(TruegradeError, match="instance 't1' has gold 2 and 3; keep one"):
        tg.convert(tmp_path / "t.tsv", tmp_path / "out.csv", "long")


@pytest.mark.parametrize("keys", [3, 4])
def test_lines_whose_values_are_all_objects_are_lines(keys, tmp_path):
    """And not one object of objects, as peerannot writes it."""
    line = {"sample": {"id": "p1"}, "grader": {"name": "a"}, "result": {"score": 3}, "run": {"seed": 1}}
    (tmp_path / "j.jsonl").write_text(2 * (json.dumps(dict(list(line.items())[:keys])) + "\n"))
    ratings = tg.read(tmp_path / "j.jsonl", instance="sample.id", annotator="grader.name", rating="result.score")
    assert ratings.annotators.label_of(0) == "a"
    assert ratings.n_ratings == 2


def test_a_first_row_that_may_be_names_or_ratings_is_an_error(tmp_path):
    (tmp_path / "m.csv").write_text("0,1\n1,1\n0,0\n")
    with pytest.raises(FileError, match="its first row, 0, 1, may be names or ratings; write names that"):
        tg.read(tmp_path / "m.csv", from_="cleanlab")


@pytest.mark.parametrize(
    ("array", "told"),
    [
        (np.array([{"a": 1}], dtype=object), "this NumPy array cannot be read"),
        (np.zeros(3), "holds an array of 1 dimensions"),
        (np.zeros((2, 2), dtype="M8[s]"), "save a matrix of numbers"),
    ],
)
def test_arrays_that_are_no_matrix(array, told, tmp_path):
    np.save(tmp_path / "m.npy", array, allow_pickle=True)
    with pytest.raises(FileError, match=told):
        tg.read(tmp_path / "m.npy")


def test_an_array_with_named_columns_is_a_table(tmp_path):
    rows = np.array([("x", "a", 1), ("x", "b", 2)], dtype=[("item", "U3"), ("judge", "U3"), ("score", "i4")])
    np.save(tmp_path / "t.npy", rows)
    assert tg.read(tmp_path / "t.npy").n_ratings == 2


def test_grouped_data_is_repeated_and_its_count_checked(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("r1,r2,n\n1,1,3\n1,2,1\n")
    assert len(triples(path)) == 8
    path.write_text("r1,r2,n\n1,1,many\n")
    with pytest.raises(TruegradeError, match="row 1: n is 'many'"):
        tg.read(path)


def test_several_questions_are_listed_and_one_or_all_can_be_read():
    path = EXPORTS / "label_studio.json"
    with pytest.raises(OptionError, match=r"it holds 2 questions: quality, tone; pass --question NAME for one of them"):
        tg.read(path)
    with pytest.raises(OptionError, match="no question 'colour'; it has quality, tone"):
        tg.read(path, question="colour")
    ratings = tg.read(path, question="all")
    assert sorted(ratings.instances.labels.to_pylist()) == ["101/quality", "101/tone", "102/quality", "102/tone"]
    assert sorted(ratings.categories.labels.to_pylist()) == ["quality", "tone"]
    assert ratings.n_annotators == 2
    assert "2 questions are rated together: an instance is an item and a question (item/question)" in ratings.told
    assert ratings.known.instances.to_pylist() == ["102/quality"]


def test_choices_that_begin_with_a_number_are_that_number():
    ratings = tg.read(EXPORTS / "label_studio.json", question="tone")
    assert ratings.scale.values == (1, 2, 3)
    assert "ratings such as '3 - polite' are read as the numbers that they begin with" in ratings.told
    named = tg.read(EXPORTS / "label_studio.json", question="tone", scale="1 - rude,2 - cold,3 - polite")
    assert named.scale.names == ("1 - rude", "2 - cold", "3 - polite")


def test_gold_in_the_file_is_no_rating():
    ratings = tg.read(EXPORTS / "label_studio.json", question="quality")
    assert ratings.known.instances.to_pylist() == ["102"]
    assert ratings.known.values.tolist() == [5.0]
    assert "1" not in ratings.annotators.labels.to_pylist()
    toloka = tg.read(EXPORTS / "toloka.tsv")
    assert toloka.known.instances.to_pylist() == ["t2"]
    fit = tg.DawidSkene().fit(toloka, gold=toloka.known)
    assert dict(zip(*fit.truth_table().select(["instance", "estimate"]).to_pydict().values(), strict=True))["t2"] == 5


@pytest.mark.parametrize("lists", [False, True], ids=["a list of objects", "an object of lists"])
def test_argilla_in_parquet(lists, tmp_path):
    flat = json.loads((EXPORTS / "argilla_flat.json").read_text())
    path = tmp_path / "records"
    pyarrow.parquet.write_table(pa.Table.from_pylist(flat), path)
    assert triples(path) == triples(EXPORTS / "argilla_flat.json")
    records = [json.loads(line) for line in (EXPORTS / "argilla_1_flat.jsonl").read_text().splitlines()]
    for record in records if lists else ():
        record["quality"] = {key: [r[key] for r in record["quality"]] for key in ("user_id", "value", "status")}
    pyarrow.parquet.write_table(pa.Table.from_pylist(records), path)
    assert triples(path) == triples(EXPORTS / "argilla_1_flat.jsonl")


def test_categories_and_weights_of_judges(tmp_path):
    path = tmp_path / "j.json"
    path.write_text('[{"item": "x", "judge": "a", "score": 1, "topic": "t"}]')
    assert tg.read(path).categories.labels.to_pylist() == ["t"]
    path.write_text('[{"item": "x", "judge": "a", "score": 1, "weight": 2}]')
    with pytest.raises(ColumnError, match="the key 'weight' cannot weigh ratings here"):
        tg.read(path)


def test_ratings_of_regions_belong_to_the_region():
    assert triples(EXPORTS / "label_studio_legacy.json") == [("1/r1", "3", "2")]


def test_a_yes_or_no_to_a_label_is_one_or_zero():
    assert triples(EXPORTS / "prodigy_binary.jsonl") == [("5", "ann", "1"), ("5", "bob", "0")]


def test_another_field_may_name_the_instance_or_the_category():
    found = triples(EXPORTS / "mturk.csv", roles=tg.readers.Roles(instance="Input.image"))
    assert found[0] == ("1.png", "W1", "4")
    ratings = tg.read(EXPORTS / "label_studio.json", question="quality", category="query", instance="text")
    assert ratings.categories.labels.to_pylist() == ["q1"]
    assert ratings.instances.labels.to_pylist() == ["The first answer", "The second answer"]
    assert tg.read(EXPORTS / "argilla.json", question="quality", category="topic").n_categories == 2


def test_a_name_forces_a_format():
    path = EXPORTS / "judges.jsonl"
    assert len(triples(path, from_="judges", question="helpful")) == 3
    with pytest.raises(FileError, match="does not look like Toloka assignments"):
        tg.read(path, from_="toloka")
    with pytest.raises(OptionError, match="--from paper: choose plain, label-studio"):
        tg.read(path, from_="paper")
    with pytest.raises(ColumnError, match="no column for the annotator"):
        tg.read(path, from_="plain", instance="prompt_id", rating="scores")


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("label_studio.json", '"annotations"', '"notes"', "have neither 'annotations' nor 'completions'"),
        (
            "label_studio_legacy.json",
            '"rating"',
            '"text"',
            r"no control of these tasks grades: box \(rectanglelabels\)",
        ),
        ("label_studio_min.json", '[{"rating": 4}]', "[]", "with its name|no rating"),
        ("argilla.json", '"responses"', '"answers"', "pass --annotator KEY"),
        ("argilla_flat.json", ".users", ".people", r"has no 'quality.responses.users'"),
        ("argilla_1.json", '"external_id"', '"other_id"', "has no 'id'; pass --instance KEY"),
        ("mturk.csv", "Answer.", "Reply.", r"has no column 'Answer....'"),
        ("toloka.tsv", "OUTPUT:", "OUT:", "has no column 'OUTPUT:...'"),
        ("toloka.tsv", "ASSIGNMENT:task_id", "ASSIGNMENT:task", "has no 'ASSIGNMENT:task_id'; pass --instance COLUMN"),
        ("prodigy_binary.jsonl", "_annotator_id", "_who", "does not say who answered"),
        ("peerannot.json", "2}", "[2, 3]}", "no|lists or objects"),
        (
            "judges_nested.json",
            '"judge"',
            '"mind"',
            "no key for the annotator; the records have 'item', 'mind', 'score'",
        ),
    ],
)
def test_a_file_that_is_almost_right(name, old, new, told, tmp_path):
    text = (EXPORTS / name).read_text()
    assert old in text
    path = tmp_path / name
    path.write_text(text.replace(old, new))
    if name == "label_studio_min.json":
        path.write_text(
            text.replace('[{"rating": 4}]', "[]").replace('[{"rating": 2}]', "[]").replace('[{"rating": 5}]', "[]")
        )
    with pytest.raises(TruegradeError, match=told) as caught:
        tg.read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 300


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("json")])
def test_a_file_cut_anywhere_is_an_error_or_less_of_the_same(name, tmp_path):
    whole = (EXPORTS / name).read_bytes().strip()
    path = tmp_path / name
    for cut in range(1, len(whole), 7):
        path.write_bytes(whole[:cut])
        with pytest.raises(TruegradeError) as caught:
            tg.read(path, **FILES[name][0])
        assert str(caught.value).startswith(str(path))


def test_deep_nesting_is_told(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('[{"data": ' + "[" * 200_000 + "]" * 200_000 + "}]")
    with pytest.raises(FileError, match="record 1: not JSON"):
        tg.read(path)


def test_records_longer_than_a_block_and_numbers_cut_by_one(tmp_path):
    records = [{"item": f"i{n}", "judge": "a", "score": 12, "text": "x" * (1 << 19)} for n in range(7)]
    path = tmp_path / "long.json"
    path.write_text(json.dumps(records))
    assert triples(path) == [(f"i{n}", "a", "12") for n in range(7)]


def test_gold_among_choices_that_begin_with_a_number(tmp_path):
    text = (EXPORTS / "label_studio.json").read_text()
    path = tmp_path / "l.json"
    path.write_text(
        text.replace(
            '"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": 5}}]}\n',
            '"from_name": "tone", "type": "choices", "value": {"choices": ["3 - polite"]}}]}\n',
        )
    )
    assert tg.read(path, question="tone").known.values.tolist() == [3.0]


def test_gold_that_contradicts_itself_is_refused(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text((EXPORTS / "toloka.tsv").read_text().replace("2.png\t1\t5", "2.png\t1\t4"))
    with pytest.raises(GoldError, match="its gold"):
        tg.read(path)


def test_plain_files_stay_plain(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("annotator,annotation_id,lead_time,id,label\nann,1,2.0,x,3\n")
    assert triples(path) == [("x", "ann", "3")]
    path.write_text('{"item": "x", "judge": "a", "score": 2, "model": "m", "extra": {"a": 1}}\n')
    assert triples(path) == [("x", "a", "2")]
    with pytest.raises(OptionError, match="--question goes with exports"):
        tg.read(path, question="q")


def test_convert_from_python(tmp_path):
    done = tg.convert(EXPORTS / "toloka.tsv", tmp_path / "tasks.json", "label-studio")
    assert (done.rows, done.format) == (3, "label-studio")
    assert done.notes == ("3 answers left out: 2 rejected, 1 skipped",)
    ratings = tg.read(tmp_path / "tasks.json")
    assert ratings.known.instances.to_pylist() == ["t2"]
    fit = tg.Median().fit(ratings)
    assert tg.convert(fit, tmp_path / "new.json", "label-studio", original=tmp_path / "tasks.json").rows == 2
    assert len(json.loads((tmp_path / "new.json").read_text())[0]["predictions"]) == 1
    with pytest.raises(OptionError, match="goes with a fit"):
        tg.convert(EXPORTS / "toloka.tsv", tmp_path / "x", "argilla", original=tmp_path / "tasks.json")


@pytest.mark.parametrize("block", [1, 2, 7, 64])
@pytest.mark.parametrize("name", [name for name in FILES if "json" in name])
def test_where_a_block_ends_does_not_matter(name, block, monkeypatch):
    options = FILES[name][0]
    whole = triples(EXPORTS / name, **options)
    monkeypatch.setattr(jsonstream, "_BLOCK", block)
    assert triples(EXPORTS / name, **options) == whole


def test_a_number_cut_by_a_block_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonstream, "_BLOCK", 1)
    path = tmp_path / "n.json"
    path.write_text('{"a": 1234, "b": -5.5e2}')
    assert list(jsonstream.json_items(open_source(path))) == [("a", 1234), ("b", -550.0)]
