"""From a question to an answer in words, with its SQL, its evidence, and what it rests on."""

from fathom.answering.archive import answer_from_json
from fathom.answering.conversation import Conversation
from fathom.answering.explain import explain
from fathom.answering.followup import wants_chart
from fathom.answering.forms import as_json, cell_as_json, result_as_json
from fathom.answering.grounding import Grounding, ground
from fathom.answering.measure_words import learn_measures
from fathom.answering.pipeline import answer, ask
from fathom.answering.preparation import Asking, prepare

__all__ = [
    "Asking",
    "Conversation",
    "Grounding",
    "answer",
    "answer_from_json",
    "as_json",
    "ask",
    "cell_as_json",
    "explain",
    "ground",
    "learn_measures",
    "prepare",
    "result_as_json",
    "wants_chart",
]
