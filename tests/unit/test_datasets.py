"""Named data: each cleaner on a few rows made by hand, where data is looked for, and what a failure says."""

import io
import tarfile

import pytest

from truegrade.datasets import CATALOGUE, load
from truegrade.datasets.entry import Shape
from truegrade.datasets.loading import obtain
from truegrade.datasets.originals import download
from truegrade.datasets.storage import cache_folder
from truegrade.errors import DataError, OptionError

ORIGINALS = {
    "trec-rf10": {
        "trec-rf10-data.txt": "topicID\tworkerID\tdocID\tgold\tlabel\n"
        "1\tw1\tdoc-a\t-1\t0\n1\tw1\tdoc-a\t-1\t2\n1\tw2\tdoc-b\t1\t-2\n2\tw2\tdoc-a\t2\t1\n2\tw3\tdoc-c\t-2\t1\n"
    },
    "web-relevance": {"web_crowd.txt": "1 1 5\n2 1 3\n", "web_truth.txt": "2 4\n"},
    "adult-content2": {
        "labels.txt": "Kim\thttp://b\tP\nAlf\thttp://b\tG\nKim\thttp://a\tX\n",
        "gold.txt": "http://a\tX\nhttp://c\tR\n",
    },
    "movie-reviews": {
        "answers.txt": "0.6 999999999 1.1\n999999999 0.3 -0.1\n",
        "labels_train_amt.txt": "0.57\n1.0\n",
    },
    "weather-sentiment-amt": {
        "label.csv": "item,worker,label\n268,51,0\n268,81,3\n91,77,2\n91,5,4\n",
        "truth.csv": "item,truth\n268,3\n91,2\n",
    },
}
RATINGS = {
    "trec-rf10": [
        ("w1", "1_doc-a", "1", "0"),
        ("w1", "1_doc-a", "1", "2"),
        ("w2", "2_doc-a", "2", "1"),
        ("w3", "2_doc-c", "2", "1"),
    ],
    "web-relevance": [("w1", "i1", "5"), ("w1", "i2", "3")],
    "adult-content2": [("a1", "site1", "1"), ("a2", "site1", "0"), ("a1", "site2", "3")],
    "movie-reviews": [("w1", "m1", "6"), ("w2", "m2", "3")],
    "weather-sentiment-amt": [("w51", "t268", "0"), ("w77", "t91", "2")],
}
GOLD = {
    "trec-rf10": [("1_doc-b", "1"), ("2_doc-a", "2")],
    "web-relevance": [("i2", "4")],
    "adult-content2": [("site2", "3"), ("site3", "2")],
    "movie-reviews": [("m1", "5.7"), ("m2", "10")],
    "weather-sentiment-amt": [("t91", "2")],
}


def rows(table):
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.fixture(autouse=True)
def _no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TRUEGRADE_DATA", raising=False)


@pytest.fixture
def unchecked(monkeypatch):
    """A catalogue whose checksums are those of nothing, so that rows made by hand pass."""
    for name, entry in list(CATALOGUE.items()):
        monkeypatch.setitem(CATALOGUE, name, type(entry)(**{**vars(entry), "sha256": ()}))


@pytest.fixture
def offline(monkeypatch):
    def refuse(url, timeout):
        raise OSError("no network")

    monkeypatch.setattr("urllib.request.urlopen", refuse)


@pytest.mark.parametrize("name", ORIGINALS)
def test_cleaning(name):
    cleaned = CATALOGUE[name].clean(ORIGINALS[name])
    assert rows(cleaned.ratings) == RATINGS[name]
    assert rows(cleaned.gold) == GOLD[name]


@pytest.mark.parametrize("name", ORIGINALS)
def test_every_original_is_cleaned_and_has_an_address(name):
    entry = CATALOGUE[name]
    assert [original.name for original in entry.originals] == list(ORIGINALS[name])
    assert all(original.url.startswith("https://") for original in entry.originals)
    assert [len(digest) for digest in entry.sha256] == [64, 64]


@pytest.mark.parametrize("text", ["1 2\n", "1 1 5 6\n"])
def test_another_file_is_refused(text):
    with pytest.raises(DataError, match=r"web_crowd.txt: line 1 has . cells, not 3: this is not the original file"):
        CATALOGUE["web-relevance"].clean({"web_crowd.txt": text, "web_truth.txt": "1 1\n"})


def test_anesthesia_is_the_printed_table():
    data = load("anesthesia")
    assert data.gold is None
    assert data.ratings.n_repeats == 90
    counts = [int((data.ratings.grade == grade).sum()) for grade in range(4)]
    assert counts == [128, 124, 48, 15]
    first, second = rows(obtain(data.entry).ratings)[:2], rows(obtain(data.entry).ratings)[7:12]
    assert first == [("a1", "p1", "1"), ("a1", "p1", "1")]
    assert [grade for _, _, grade in second] == ["3", "3", "3", "4", "3"]


def test_anesthesia_equals_the_shared_copy(shared_data):
    lines = (shared_data("anesthesia_dawid_skene_1979") / "ratings.csv").read_text().split("\n")[1:-1]
    assert [",".join(row) for row in rows(obtain(CATALOGUE["anesthesia"]).ratings)] == lines


def test_yandex_like_has_the_papers_shape():
    data = load("yandex-like")
    assert CATALOGUE["yandex-like"].shape == Shape(40_340, 51, 10_462, 601, 10_462)
    assert data.ratings.scale.n_grades == 5
    assert set(data.ratings.grade.tolist()) == set(range(5))
    assert load("yandex-like").ratings.digest == data.ratings.digest


def test_raw_trec_is_cleaned_to_the_papers_counts(shared_data):
    folder = shared_data("trec_rf10")
    data = load("trec-rf10", folder / "raw-trec-rf10-data.txt")
    ratings = data.ratings
    assert (ratings.n_ratings, ratings.n_annotators, ratings.n_categories) == (91_783, 762, 100)
    assert (ratings.n_instances, len(data.gold)) == (20_026, 3_277)
    assert load("trec-rf10", folder).ratings.digest == ratings.digest


@pytest.mark.parametrize("name", ["web-relevance", "adult-content2", "movie-reviews", "weather-sentiment-amt"])
def test_shared_data_is_found_by_its_folder(shared_data, name, monkeypatch):
    folder = shared_data(name.replace("-", "_"))
    monkeypatch.setenv("TRUEGRADE_DATA", str(folder.parent))
    assert load(name).ratings.n_ratings == CATALOGUE[name].shape.ratings


def test_a_changed_file_is_refused(tmp_path):
    for name, text in ORIGINALS["web-relevance"].items():
        (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=r"this is not the published web-relevance \(sha256 .*fetch it anew"):
        load("web-relevance", tmp_path)


@pytest.mark.usefixtures("offline")
def test_a_damaged_cache_is_not_used(tmp_path):
    folder = cache_folder(CATALOGUE["web-relevance"])
    folder.mkdir(parents=True)
    (folder / "ratings.csv").write_text("annotator,instance,rating\nw1,i1,5\n")
    (folder / "gold.csv").write_text("instance,gold\ni1,5\n")
    with pytest.raises(DataError, match="cannot be fetched"):
        load("web-relevance")


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ORIGINALS)
def test_the_failure_says_where_to_get_it(name):
    with pytest.raises(DataError) as failure:
        load(name)
    message = str(failure.value)
    assert message.startswith(f"{name}: https://")
    assert "no network" in message
    assert message.endswith("by hand, then pass --from FOLDER or set TRUEGRADE_DATA=FOLDER")


def test_absent_from_a_folder(tmp_path):
    with pytest.raises(DataError, match=r"web-relevance is not here; looked for web_crowd.txt and web_truth.txt"):
        load("web-relevance", tmp_path)
    with pytest.raises(DataError, match="no such file or folder"):
        load("web-relevance", tmp_path / "nowhere")
    with pytest.raises(OptionError, match="no data set 'web'; choose one of trec-rf10, web-relevance"):
        load("web")


@pytest.mark.usefixtures("unchecked")
def test_download_is_kept(monkeypatch):
    content = io.BytesIO()
    text = ORIGINALS["trec-rf10"]["trec-rf10-data.txt"].replace("\n", "\r\n").encode()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        member = tarfile.TarInfo("../../trec-rf10-crowd/trec-rf10-data.txt")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    asked = []

    def answer(url, timeout):
        asked.append(url)
        return io.BytesIO(content.getvalue())

    monkeypatch.setattr("urllib.request.urlopen", answer)
    entry = CATALOGUE["trec-rf10"]
    assert rows(obtain(entry).ratings) == RATINGS["trec-rf10"]
    assert asked == [entry.originals[0].url]
    kept = cache_folder(entry)
    assert (kept / "gold.csv").read_text() == "instance,gold\n1_doc-b,1\n2_doc-a,2\n"
    assert sorted(path.name for path in kept.iterdir()) == ["gold.csv", "ratings.csv"]


def test_a_broken_archive_is_refused(monkeypatch):
    monkeypatch.setattr("urllib.request.urlopen", lambda url, timeout: io.BytesIO(b"no archive"))
    with pytest.raises(DataError, match="this archive cannot be read"):
        download(CATALOGUE["trec-rf10"])
