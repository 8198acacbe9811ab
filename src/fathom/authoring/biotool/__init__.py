"""Making a data set of tool questions as the published one was made (specs/biotool.md, section 3)."""

from fathom.authoring.biotool.pipeline import MakingPlan, biotool_maker

__all__ = ["MakingPlan", "biotool_maker"]
