"""Callers: from a question to a call with arguments and a confidence, or to a refusal."""

from fathom.biotools.callers.caller import Caller, MadeCall, Proposal, open_caller
from fathom.biotools.callers.lessons import SolvedCall
from fathom.biotools.callers.offline import OfflineCaller

__all__ = ["Caller", "MadeCall", "OfflineCaller", "Proposal", "SolvedCall", "open_caller"]
