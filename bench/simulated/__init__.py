"""A model that is simulated: it knows the gold query of each question and errs as often as it is told to."""

from bench.simulated.corrupting import corrupt
from bench.simulated.kinds import KINDS, Kind, kind_of
from bench.simulated.model import Gold, Simulated

__all__ = ["KINDS", "Gold", "Kind", "Simulated", "corrupt", "kind_of"]
