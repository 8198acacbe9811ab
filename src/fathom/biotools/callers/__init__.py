"""Callers: from a question to a call with arguments and a confidence, or to a refusal."""

from fathom.biotools.callers.lessons import SolvedCall
from fathom.biotools.callers.offline import OfflineCaller, Proposal

__all__ = ["OfflineCaller", "Proposal", "SolvedCall"]
