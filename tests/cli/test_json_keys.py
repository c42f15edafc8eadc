"""What --json prints is a promise: these keys, each of them in docs/reference/tables.md."""

import json
import re
from pathlib import Path

import pytest

TABLES = Path(__file__).parents[2] / "docs" / "reference" / "tables.md"
ROWS = "annotator,instance,category,rating\na,x,p,1\nb,x,p,2\na,y,q,3\nb,y,q,3\n"

FIT = "model options status iterations bound scale counts off_scale notes output"
TRUTH = "instance category estimate sd lower upper grade p_1 p_2 p_3 n_ratings"
DATA = "name title scale ratings annotators instances categories gold licence citation home here"
DESCRIBE = """
    ratings instances annotators categories columns scale share_of_grade ratings_per_instance ratings_per_annotator
    alpha_nominal alpha_ordinal alpha_interval percent_agreement remarks
"""
RECORD = """
    format format_version tables posterior status bound scale id_types columns model options hyperparameters
    all_spam_bound iterations bounds seed counts notes library input_digest versions
"""
COUNTS = "ratings instances annotators categories rows dropped missing repeats"
PROMISES = [
    ("fit rows.csv --model mean -o out", "", FIT),
    ("fit rows.csv --model mean", "", f"{FIT} truth annotators"),
    ("fit rows.csv --model mean", "counts", COUNTS),
    ("fit rows.csv --model mean", "truth", TRUTH),
    ("fit rows.csv --model mean", "annotators", "annotator n_ratings spamminess expertise bias stretch agreement"),
    (
        "evaluate out gold.csv",
        "",
        "mse mae pearson spearman accuracy kappa ndcg ndcg_exponential log_loss coverage n_gold n_scored",
    ),
    ("describe rows.csv", "", DESCRIBE),
    ("describe rows.csv", "ratings_per_annotator", "min median mean max"),
    ("simulate -o sim --instances 9", "", "ratings instances annotators seed files"),
    ("convert rows.csv new.json --to argilla", "", "rows format notes output"),
    ("demo", "", "mse pearson files"),
    ("demo", "files", "ratings gold truth annotators plot report"),
    ("data list", "data", DATA),
]


def documented():
    return set(re.findall(r"`([a-z_0-9<>]+)`", TABLES.read_text("utf-8"))) | {f"p_{k}" for k in (1, 2, 3)}


@pytest.mark.parametrize(("line", "part", "keys"), PROMISES)
def test_the_keys_of_a_command(run, tmp_path, line, part, keys):
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "gold.csv").write_text("instance,gold\nx,1\ny,3\n")
    if line.startswith("evaluate"):
        run("fit", "rows.csv", "--model", "mean", "-o", "out")
    done = run(*line.split(), "--json")
    assert done.returncode == 0
    record = json.loads(done.stdout, parse_constant=pytest.fail)
    found = record[part] if part else record
    assert list(found[0] if isinstance(found, list) else found) == keys.split()


def test_the_keys_of_a_saved_fit(run, tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS)
    run("fit", "rows.csv", "--model", "mean", "-o", "out")
    assert list(json.loads((tmp_path / "out" / "fit.json").read_text())) == RECORD.split()


@pytest.mark.parametrize("keys", sorted({keys for _, _, keys in PROMISES} | {RECORD}))
def test_every_key_is_documented(keys):
    told = documented()
    words = set(TABLES.read_text("utf-8").replace(",", " ").replace("(", " ").replace(")", " ").split())
    assert [key for key in keys.split() if key not in told and key not in words] == []
