"""Ratings and truths in the formats of other tools."""
