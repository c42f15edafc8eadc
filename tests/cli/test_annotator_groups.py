"""--annotator-group: a column of the file of ratings says who belongs together."""

import json

import pytest

from truegrade import OrdinalPanel, read, simulate


@pytest.fixture
def table(tmp_path):
    """Ratings of eight annotators, w0 to w7, half of them machines; nobody says what w7 is."""
    drawn = simulate(instances=40, annotators=8, ratings_per_instance=4, seed=1).ratings
    grade = drawn.scale.array[drawn.grade].astype(int)
    rows = ["annotator,instance,rating,kind"]
    for n, m, k in zip(drawn.annotator, drawn.instance_of(), grade, strict=True):
        kind = "" if n == 7 else "machine" if n % 2 else "person"
        rows.append(f"w{n},i{m},{k},{kind}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_the_column_does_what_the_option_does(run, table):
    done = run(
        "fit", table, "--model", "ordinal-panel", "--set", "draws=4", "--annotator-group", "kind", "-o", "out", "--json"
    )
    assert done.returncode == 0
    groups = json.loads(done.stdout)["options"]["groups"]
    assert groups == {f"w{n}": "machine" if n % 2 else "person" for n in range(7)}
    fit = OrdinalPanel(draws=4, groups=groups).fit(read(str(table)))
    assert [note for note in fit.notes if "grades off" in note] == [
        note for note in json.loads(done.stdout)["notes"] if "grades off" in note
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--model", "mean", "--annotator-group", "kind"],
            "mean knows no groups of annotators; choose",
        ),
        (
            ["--model", "ordinal-panel", "--annotator-group", "sort"],
            "no column 'sort' (--annotator-group); it has",
        ),
        (["--model", "ordinal-panel", "--annotator-group", "instance"], "is in the groups '"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(run, table, options, words):
    done = run("fit", table, *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_standard_input_cannot_be_read_twice(run, table):
    done = run("fit", "-", "--model", "ordinal-panel", "--annotator-group", "kind", stdin=table.read_text())
    assert done.returncode == 2
    assert "give a file instead of -" in done.stderr
