"""Making a data set of tool questions as the published one was made (specs/biotool.md, section 3)."""

from fathom.authoring.biotool.pipeline import Plan, biotool_maker

__all__ = ["Plan", "biotool_maker"]
