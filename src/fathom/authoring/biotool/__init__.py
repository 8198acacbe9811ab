"""Making a data set of tool questions as the published one was made (specs/biotool.md, section 3).

Each step reads what the step before left in one folder and appends to a file of its own; what is there
already isn't done again, and what is rejected stays, with its reason.
"""

from fathom.authoring.biotool.pipeline import STEPS, Plan, author

__all__ = ["STEPS", "Plan", "author"]
