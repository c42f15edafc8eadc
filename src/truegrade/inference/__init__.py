"""Sweeps over the ratings and the updates of parameters."""
