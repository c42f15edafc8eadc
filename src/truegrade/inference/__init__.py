"""Sweeps over ratings: thin wrappers on the kernel, and their NumPy twins."""
