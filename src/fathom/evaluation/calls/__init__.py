"""Tool questions in the bench: callers asked, their calls made and held against gold."""

from fathom.evaluation.calls.encoders import Encoder, open_encoder
from fathom.evaluation.calls.run import evaluate_calls

__all__ = ["Encoder", "evaluate_calls", "open_encoder"]
