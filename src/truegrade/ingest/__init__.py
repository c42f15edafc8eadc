"""From files of any size to shards: survey, cut, split, assemble. Each is a function of a few rows at a time."""
