"""Files of ratings in shards, as an engine makes them but all in memory; and what shards laid end to end are."""

from collections import defaultdict

import numpy as np

from truegrade.ingest.assemble import assemble_shard
from truegrade.ingest.cut import Cut
from truegrade.ingest.split import split
from truegrade.ingest.survey import SURVEYED, Rules, settle, survey
from truegrade.readers.dataset import Dataset


def shards_of(path, rows_per_shard, roles=None, batch=7, **rules):
    """The shards of a file or folder that is read a few rows at a time."""
    dataset, rules = Dataset.open(path, roles), Rules(**rules)
    settled = settle(survey(dataset.batches(batch, SURVEYED), rules), dataset, rules)
    cut = Cut.of(settled, rows_per_shard)
    dealt = defaultdict(list)
    for found in dataset.batches(batch):
        for shard, piece in split(found, settled, cut):
            dealt[shard].append(piece)
    return [assemble_shard(dealt[shard], settled) for shard in sorted(dealt)], settled


def end_to_end(shards):
    """The arrays of the whole, and the ids of the instances in the order of their codes."""
    names = ("annotator", "grade", "real", "row", "weight", "category")
    arrays = {name: [getattr(shard, name) for shard in shards] for name in names}
    whole = {name: None if parts[0] is None else np.concatenate(parts) for name, parts in arrays.items()}
    starts = np.cumsum([0, *(shard.n_ratings for shard in shards)])
    ptr = [shard.instance_ptr[:-1] + start for shard, start in zip(shards, starts[:-1], strict=True)]
    whole["instance_ptr"] = np.concatenate([*ptr, starts[-1:]])
    whole["ids"] = [label for shard in shards for label in ids_by_code(shard.instances)]
    return whole


def ids_by_code(table):
    return table.labels_of(np.arange(len(table))).to_pylist()
