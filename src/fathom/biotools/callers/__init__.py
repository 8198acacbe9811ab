"""Callers: from a question to a call with arguments and a confidence, or to a refusal."""

from fathom.biotools.callers.caller import Caller, CallProposal, MadeCall, open_caller
from fathom.biotools.callers.chain import Chain, follow
from fathom.biotools.callers.offline import OfflineCaller
from fathom.records import SolvedCall

__all__ = [
    "CallProposal",
    "Caller",
    "Chain",
    "MadeCall",
    "OfflineCaller",
    "SolvedCall",
    "follow",
    "open_caller",
]
