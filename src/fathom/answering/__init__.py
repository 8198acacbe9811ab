"""From a question to an answer in words, with its SQL, its evidence, and what it rests on."""

from fathom.answering.asking import Asking, answer, ask, prepare
from fathom.answering.explain import explain
from fathom.answering.grounding import Grounding, ground

__all__ = ["Asking", "Grounding", "answer", "ask", "explain", "ground", "prepare"]
