"""Lessons from solved examples: the words that ask for an endpoint, and the arguments that they imply."""

import re
from collections.abc import Sequence
from typing import Any

from fathom.biotools.callers.argument_filler import TEXTS, ArgumentFiller
from fathom.biotools.callers.entities import Entity, find_entities
from fathom.biotools.callers.lessons import CallLesson, plain_words
from fathom.biotools.callers.taken_kinds import takes
from fathom.biotools.catalogue import Parameter, check, endpoint
from fathom.errors import CallRefused
from fathom.records import SolvedCall


def from_solved(example: SolvedCall) -> CallLesson:
    """Each argument becomes a slot where the question names it as it is, and is fixed where it is a setting.

    What is read from the example's question without any lesson is read from the next question likewise; and
    what the example is about, in another question is something else. Neither is taken over.
    """
    entities = find_entities(example.question)
    unaided = _unaided(example, entities)
    slots: dict[str, str] = {}
    fixed: dict[str, Any] = {}
    parameters = endpoint(example.endpoint).parameters
    for name, value in example.arguments.items():
        source = None if isinstance(value, bool) else _source(str(value), example, entities)
        if name == "id" and source is None and example.step > 1:
            source = "context"
        if source:
            slots[name] = source
        elif (
            value is not None
            and str(unaided.get(name)) != str(value)
            and _is_setting(parameters.get(name), example)
        ):
            fixed[name] = value
    words = plain_words(example.question, entities)
    return CallLesson(example.endpoint, words, slots, fixed, solved=True, after_others=example.step > 1)


def _unaided(example: SolvedCall, entities: Sequence[Entity]) -> dict[str, Any]:
    """The arguments that the question gives by itself, in the API's form."""
    filled = ArgumentFiller(
        endpoint(example.endpoint), example.question, entities, (), CallLesson(example.endpoint, ())
    )
    try:
        return dict(check(example.endpoint, filled.arguments).arguments)
    except CallRefused:
        return filled.arguments


def _is_setting(parameter: Parameter | None, example: SolvedCall) -> bool:
    """True if an argument says how to answer rather than what about."""
    if parameter is None or parameter.name in TEXTS:
        return False
    about = takes(endpoint(example.endpoint), parameter)
    return not about or parameter.kind == "entrez_database"


def _source(value: str, example: SolvedCall, entities: Sequence[Entity]) -> str | None:
    for entity in entities:
        if entity.text.lower() == value.lower():
            return entity.kind
        if entity.kind == "variant" and re.sub(r"\D", "", entity.text) == value:
            return "digits"
    if value.lower() in example.question.lower() and len(value) > 3:
        return "text"
    return None
