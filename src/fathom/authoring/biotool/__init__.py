"""Making a data set of tool questions as the published one was made (arXiv 2605.05758)."""

from fathom.authoring.biotool.pipeline import MakingPlan, biotool_maker

__all__ = ["MakingPlan", "biotool_maker"]
