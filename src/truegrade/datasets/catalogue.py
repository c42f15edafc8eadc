"""The data sets by name. Checksums are of the cleaned tables, so they hold for every form the originals travel in."""

from __future__ import annotations

from collections.abc import Mapping

from truegrade.datasets import cleaning
from truegrade.datasets.anesthesia import anesthesia
from truegrade.datasets.entry import Entry, Original, Shape, Tables
from truegrade.errors import OptionError

__all__ = ["CATALOGUE", "find"]

_RAW = "https://raw.githubusercontent.com"
_ADULT = f"{_RAW}/ipeirotis/Get-Another-Label/9fe6c56a7a157dba1a12018f696bad56806125b7/data/AdultContent2"
_MOVIES = f"{_RAW}/fmpr/MA-sLDAr/c1bb161a5cd89a260f47b9899950e6cd59379ba4/MovieReviews"
_SPECTRAL = f"{_RAW}/zhangyuc/SpectralMethodsMeetEM/6204f5fcab1766cb1b2c40fc1bff53b1613ddc6c/src"
_WEATHER = f"{_RAW}/yuan-li/truth-inference-at-scale/621789b2d57324d3559dc973b2613d2296d73f55/data/active-crowd-toolkit"


def _yandex_like(_: Mapping[str, str]) -> Tables:
    """A simulation of the shape of the paper's unpublished set; all else is the simulator's default."""
    from truegrade.simulation import simulate

    drawn = simulate(n_ratings=40_340, annotators=51, categories=601, instances=10_462, grades=5, seed=2013)
    return Tables(drawn.rows(), drawn.gold().select(["instance", "gold"]))


_ENTRIES = (
    Entry(
        name="trec-rf10",
        title="relevance of web pages to 100 queries: 0 not, 1 relevant, 2 highly (TREC 2010 relevance feedback)",
        scale="0..2",
        shape=Shape(ratings=91_783, annotators=762, instances=20_026, categories=100, gold=3_277),
        licence="none stated; its readme asks that the track's overview paper be cited",
        citation="Buckley, Lease, Smucker: Overview of the TREC 2010 Relevance Feedback Track (Notebook), TREC 2010",
        clean=cleaning.clean_trec,
        home="https://www.ischool.utexas.edu/~ml/data/trec-rf10-crowd.tgz",
        originals=(
            Original(
                "trec-rf10-data.txt",
                "https://www.ischool.utexas.edu/~ml/data/trec-rf10-crowd.tgz",
                also=("raw-trec-rf10-data.txt",),
            ),
        ),
        sha256=(
            "7c3bd62504d66c2d51dad4b524692570f6810b8c396c0ea058afb24a03e66c6f",
            "1f823a611334e80518d88c9bd6f1d79330aba167014408564c27cca2b7a59dbf",
        ),
    ),
    Entry(
        name="web-relevance",
        title="relevance of web pages, 1 bad to 5 perfect; the queries are not in the file",
        scale="1..5",
        shape=Shape(ratings=15_567, annotators=177, instances=2_665, categories=0, gold=2_653),
        licence="none stated",
        citation="Zhou, Basu, Mao, Platt: Learning from the Wisdom of Crowds by Minimax Entropy, NIPS 2012",
        clean=cleaning.clean_web,
        home="https://github.com/zhangyuc/SpectralMethodsMeetEM",
        originals=(
            Original("web_crowd.txt", f"{_SPECTRAL}/web_crowd.txt"),
            Original("web_truth.txt", f"{_SPECTRAL}/web_truth.txt"),
        ),
        sha256=(
            "b9a8d0ac5cac0b143687e744a31995c06bac9ffade4f5f83670424a90a3a9180",
            "74dfbba086fb4e4f8b7876f88138d9fe70ce8570a4181e8be074c7d36da8d081",
        ),
    ),
    Entry(
        name="adult-content2",
        title="how adult web sites are: 0 general audience, 1 parental guidance, 2 restricted, 3 porn",
        scale="0..3",
        shape=Shape(ratings=92_721, annotators=825, instances=11_040, categories=0, gold=1_517),
        licence="the repository that holds it is under the Apache License 2.0; nothing separate for the data",
        citation="Ipeirotis, Provost, Wang: Quality Management on Amazon Mechanical Turk, HCOMP 2010",
        clean=cleaning.clean_adult,
        home="https://github.com/ipeirotis/Get-Another-Label",
        originals=(
            Original("labels.txt", f"{_ADULT}/labels.txt"),
            Original("gold.txt", f"{_ADULT}/gold.txt"),
        ),
        sha256=(
            "d6fee255e964c281288aa984fc6d624a5eccf10d4068e0b63ee469b41ec3fc81",
            "4acf235328e73911e250c1f163fcca055571918683cff83661513034765f27a6",
        ),
    ),
    Entry(
        name="movie-reviews",
        title="the rating, 0 to 10, that a film's reviewer gave, guessed from the review",
        scale="0..10",
        shape=Shape(ratings=7_435, annotators=135, instances=1_500, categories=0, gold=1_500),
        licence="the repository that holds it is under the GPL 3; nothing separate for the data",
        citation="Rodrigues, Lourenco, Ribeiro, Pereira: Learning Supervised Topic Models for Classification and "
        "Regression from Crowds, IEEE TPAMI 2017",
        clean=cleaning.clean_movies,
        home="https://github.com/fmpr/MA-sLDAr",
        originals=(
            Original("answers.txt", f"{_MOVIES}/answers.txt"),
            Original("labels_train_amt.txt", f"{_MOVIES}/labels_train_amt.txt"),
        ),
        sha256=(
            "e3eb7221b41b16a762d9852459e2b41ab5b804164c23cb4d30b071ff13d75be5",
            "1d19dfc426d3ef147d929183cd934583680b91f3c69a9e9488aa590bdf2e5772",
        ),
    ),
    Entry(
        name="weather-sentiment-amt",
        title="what tweets say about the weather: 0 negative, 1 neutral, 2 positive",
        scale="0..2",
        shape=Shape(ratings=4_415, annotators=109, instances=298, categories=0, gold=199),
        licence="the repository that holds this copy is under the MIT licence; nothing separate for the data",
        citation="Venanzi, Guiver, Kazai, Kohli, Shokouhi: Community-Based Bayesian Aggregation Models for "
        "Crowdsourcing, WWW 2014",
        clean=cleaning.clean_weather,
        home="https://eprints.soton.ac.uk/376543/",
        originals=(
            Original("label.csv", f"{_WEATHER}/CF_amt/label.csv"),
            Original("truth.csv", f"{_WEATHER}/CF_amt/truth.csv"),
        ),
        sha256=(
            "fb59de9f3292a0b86fcf96d08486c9b980c34e0b40865afd2d432f9af4852531",
            "7dcf66a426fa49daa82fbfa076d69df50ff82e56b3447675b7c9e5db8ceecf98",
        ),
    ),
    Entry(
        name="anesthesia",
        title="fitness of 45 patients for anaesthesia, 1 to 4; one of the five anaesthetists graded thrice",
        scale="1..4",
        shape=Shape(ratings=315, annotators=5, instances=45, categories=0, gold=0),
        licence="figures printed in a journal article",
        citation="Dawid, Skene: Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, "
        "Applied Statistics 28, 1979",
        clean=anesthesia,
    ),
    Entry(
        name="yandex-like",
        title="a simulation of the shape of the paper's Yandex data, which was never published",
        scale="1..5",
        shape=Shape(ratings=40_340, annotators=51, instances=10_462, categories=601, gold=10_462),
        licence="Apache License 2.0, as truegrade",
        citation="simulated by truegrade; the shape: Lakshminarayanan, Teh: Inferring ground truth from "
        "multi-annotator ordinal data, 2013",
        clean=_yandex_like,
    ),
)
CATALOGUE: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def find(name: str) -> Entry:
    """The entry of this name."""
    if name not in CATALOGUE:
        raise OptionError(f"no data set '{name}'; choose one of {', '.join(CATALOGUE)}")
    return CATALOGUE[name]
