"""The TREC 2010 relevance feedback ratings, cleaned as in the paper, and their gold."""

import pytest

from truegrade import read, read_gold


@pytest.fixture
def trec(shared_data):
    folder = shared_data("trec_rf10")
    return read(str(folder / "ratings.csv"), drop_values=[-2]), read_gold(str(folder / "gold.csv"))
