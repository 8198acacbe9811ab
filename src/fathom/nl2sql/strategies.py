"""What a step does, in the terms of NL2SQLBench's tables of strategies: one place for every registered step.

Tags are by step, so that a composed method has those of the steps that it is made of.
"""

from collections.abc import Iterable, Mapping

from fathom.methods import Method, MethodStep
from fathom.records.trace import MODULES, Module

STRATEGIES: Mapping[str, str] = {
    "rule linking": "words are matched with names and values by rule, without a model",
    "value retrieval": "cells like the question's words are looked up in the database",
    "semantic ranking": "tables, columns or examples are ranked by how near they are in meaning",
    "prompted selection": "a model names the tables and columns that are needed",
    "preliminary SQL": "a first query, or a draft, says which tables and columns are needed",
    "stepwise pruning": "the schema is narrowed stage by stage: columns, tables, columns again",
    "zero-shot": "a query is asked for without solved examples",
    "few-shot": "solved examples stand in the prompt, where there are any",
    "reasoning": "a model reasons before it writes, or writes in stages",
    "decomposition": "the question is taken apart, or its difficulty decides how it is asked",
    "intermediate form": "a plan, a list of clauses or code comes before the SQL",
    "schema hints": "what was linked, or conditions and keywords, stand beside the schema",
    "several candidates": "more than one query is written",
    "early stopping": "candidates are written one at a time until two agree or one is sure",
    "tool use": "a model runs queries and reads their results before it answers",
    "grammar": "queries are composed from the schema, without a model",
    "execution feedback": "what running a query brought, an error or rows, is shown to a model",
    "self-correction": "a model revises its query by rules or a checklist",
    "rule correction": "faults of a query are mended by rule",
    "self-consistency": "the result that most candidates agree on is kept",
    "pairwise choice": "a model picks the better of two queries",
    "unit tests": "a model writes tests, and candidates are held against them",
    "question enrichment": "the question is rewritten with what was found, and asked again",
    "several signals": "candidates are chosen by agreement, shape of the result, simplicity and more",
    "answer in words": "the rows are told in words",
}
"""Every strategy, with what it says."""

_OF_STEPS: Mapping[str, tuple[str, ...]] = {
    "link question": ("rule linking", "value retrieval"),
    "propose queries": ("grammar", "several candidates"),
    "choose query": ("several signals",),
    "try offline": ("rule linking", "value retrieval", "grammar"),
    "narrow schema": ("rule linking", "semantic ranking", "stepwise pruning"),
    "refine columns": ("prompted selection", "stepwise pruning"),
    "write until sure": ("zero-shot", "reasoning", "decomposition", "several candidates", "early stopping"),
    "mend failed": ("execution feedback",),
    "choose by signals": ("self-consistency", "several signals"),
    "extract keywords": ("prompted selection",),
    "retrieve by keywords": ("value retrieval", "semantic ranking"),
    "filter columns": ("prompted selection", "stepwise pruning"),
    "select tables": ("prompted selection", "stepwise pruning"),
    "select columns": ("prompted selection", "stepwise pruning"),
    "write one query": ("zero-shot", "reasoning"),
    "revise once": ("execution feedback", "self-correction"),
    "write two ways": ("reasoning", "decomposition", "several candidates"),
    "repair broken": ("execution feedback",),
    "choose by unit tests": ("unit tests",),
    "link forward": ("prompted selection", "few-shot"),
    "draft on everything": ("preliminary SQL", "few-shot"),
    "link backward": ("preliminary SQL", "rule linking"),
    "write with hints": ("few-shot", "schema hints", "several candidates"),
    "choose of two": ("pairwise choice", "execution feedback"),
    "correct in conversation": ("execution feedback", "self-correction"),
    "continue after pairs": ("few-shot", "semantic ranking"),
    "vote by result": ("self-consistency",),
    "continue select": ("zero-shot",),
    "extract and look up": ("prompted selection", "value retrieval"),
    "write progressively": ("few-shot", "reasoning", "several candidates"),
    "align candidates": ("rule correction",),
    "correct candidates": ("execution feedback", "few-shot"),
    "recall tables": ("prompted selection", "self-consistency"),
    "recall columns": ("prompted selection", "self-consistency"),
    "sample with hints": ("zero-shot", "schema hints", "several candidates"),
    "link schema": ("prompted selection", "few-shot"),
    "classify and write": ("decomposition", "few-shot", "reasoning"),
    "correct by checklist": ("self-correction",),
    "write by house rules": ("zero-shot", "few-shot"),
    "draft to select": ("preliminary SQL",),
    "plan in symbols": ("intermediate form", "reasoning"),
    "translate symbols": ("intermediate form",),
    "draft for tables": ("preliminary SQL", "few-shot"),
    "write on few tables": ("few-shot", "schema hints"),
    "vote of the strong": ("self-consistency",),
    "discard columns": ("prompted selection",),
    "decompose": ("decomposition", "reasoning"),
    "refine by execution": ("execution feedback",),
    "write from samples": ("few-shot", "value retrieval"),
    "enrich question": ("question enrichment", "few-shot", "value retrieval"),
    "rewrite enriched": ("question enrichment", "execution feedback"),
    "state clauses": ("intermediate form",),
    "write from clauses": ("intermediate form", "zero-shot"),
    "rewrite with values": ("value retrieval", "self-correction"),
    "rewrite with result": ("execution feedback", "self-correction"),
    "list relevant columns": ("prompted selection",),
    "write broad query": ("zero-shot", "reasoning"),
    "mend broad query": ("execution feedback",),
    "write refined query": ("execution feedback", "reasoning"),
    "answer from both": ("answer in words",),
    "judge sufficiency": ("self-correction",),
    "try queries out": ("tool use", "reasoning", "execution feedback"),
    "nearest tables": ("semantic ranking",),
    "write on selection": ("zero-shot",),
    "ask beside": ("decomposition",),
    "write each": ("zero-shot", "decomposition"),
    "mend each": ("execution feedback",),
    "tell each": ("answer in words",),
    "merge paragraphs": ("answer in words",),
    "answer from rows": ("answer in words",),
}


def strategies_of(step: MethodStep) -> tuple[str, ...]:
    """What a step does; empty for one of another package. Few-shot only where it is set to show examples."""
    tags = _OF_STEPS.get(step.name, ())
    if step.shots and not step.shows_examples:
        return tuple(t for t in tags if t != "few-shot")
    if step.shots and step.shows_examples and "few-shot" in tags:
        return tuple(t for t in tags if t != "zero-shot")
    return tags


def strategies_by_module(method: Method) -> dict[Module, tuple[str, ...]]:
    """What a method does in each of its modules, in the order of its steps."""
    found: dict[Module, tuple[str, ...]] = {}
    for module in MODULES:
        tags = _different(t for s in method.steps if s.module == module for t in strategies_of(s))
        if tags:
            found[module] = tags
    return found


def _different(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tags))
