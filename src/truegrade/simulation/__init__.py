"""Ratings whose truth is known, because they were made up."""

from truegrade.simulation.design import Design
from truegrade.simulation.draw import simulate
from truegrade.simulation.result import Simulation
from truegrade.simulation.spam import with_spam

__all__ = ["Design", "Simulation", "simulate", "with_spam"]
