"""truegrade data on the command line."""

import json


def test_list(run, monkeypatch):
    monkeypatch.delenv("TRUEGRADE_DATA", raising=False)
    found = json.loads(run("data", "list", "--json").stdout)["data"]
    trec = found[0]
    assert (trec["name"], trec["ratings"], trec["categories"], trec["gold"]) == ("trec-rf10", 91_783, 100, 3_277)
    assert trec["licence"].startswith("none stated")
    assert "yandex-like" in run("data", "list").stdout


def test_get_keeps_the_files(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = run("data", "get", "anesthesia", "--json")
    path = json.loads(done.stdout)["files"][0]
    assert path == str(tmp_path / "cache" / "truegrade" / "data" / "anesthesia" / "ratings.csv")
    assert json.loads(run("describe", path, "--json").stdout)["ratings"] == 315


def test_get_puts_the_files_where_they_are_wanted(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = run("data", "get", "anesthesia", "-o", "here", "--json")
    assert json.loads(done.stdout)["files"] == ["here/ratings.csv"]
    kept = tmp_path / "cache" / "truegrade" / "data" / "anesthesia" / "ratings.csv"
    assert (tmp_path / "here" / "ratings.csv").read_bytes() == kept.read_bytes()


def test_absent_data_is_one_line(run, tmp_path):
    done = run("data", "get", "web-relevance", "--from", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"truegrade: error: {tmp_path}: web-relevance is not here")
    assert done.stderr.count("\n") == 1
