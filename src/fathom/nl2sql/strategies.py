"""Strategies of each registered step, in the terms of NL2SQLBench's tables.

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
    "link_question": ("rule linking", "value retrieval"),
    "propose_queries": ("grammar", "several candidates"),
    "choose_query": ("several signals",),
    "try_offline": ("rule linking", "value retrieval", "grammar"),
    "narrow_schema": ("rule linking", "semantic ranking", "stepwise pruning"),
    "refine_columns": ("prompted selection", "stepwise pruning"),
    "write_until_sure": ("zero-shot", "reasoning", "decomposition", "several candidates", "early stopping"),
    "mend_failed": ("execution feedback",),
    "repair_by_schema": ("rule correction",),
    "ask_offline": ("rule linking", "value retrieval", "grammar"),
    "write_queries": ("zero-shot", "schema hints", "stepwise pruning"),
    "choose_by_agreement": ("rule correction", "self-consistency", "several signals"),
    "choose_by_signals": ("self-consistency", "several signals"),
    "extract_keywords": ("prompted selection",),
    "retrieve_by_keywords": ("value retrieval", "semantic ranking"),
    "filter_columns": ("prompted selection", "stepwise pruning"),
    "select_tables": ("prompted selection", "stepwise pruning"),
    "select_columns": ("prompted selection", "stepwise pruning"),
    "write_one_query": ("zero-shot", "reasoning"),
    "revise_once": ("execution feedback", "self-correction"),
    "write_two_ways": ("reasoning", "decomposition", "several candidates"),
    "repair_broken": ("execution feedback",),
    "choose_by_unit_tests": ("unit tests",),
    "link_forward": ("prompted selection", "few-shot"),
    "draft_on_everything": ("preliminary SQL", "few-shot"),
    "link_backward": ("preliminary SQL", "rule linking"),
    "write_with_hints": ("few-shot", "schema hints", "several candidates"),
    "choose_of_two": ("pairwise choice", "execution feedback"),
    "correct_in_conversation": ("execution feedback", "self-correction"),
    "continue_after_pairs": ("few-shot", "semantic ranking"),
    "vote_by_result": ("self-consistency",),
    "continue_select": ("zero-shot",),
    "extract_and_look_up": ("prompted selection", "value retrieval"),
    "write_progressively": ("few-shot", "reasoning", "several candidates"),
    "align_candidates": ("rule correction",),
    "correct_candidates": ("execution feedback", "few-shot"),
    "recall_tables": ("prompted selection", "self-consistency"),
    "recall_columns": ("prompted selection", "self-consistency"),
    "sample_with_hints": ("zero-shot", "schema hints", "several candidates"),
    "link_schema": ("prompted selection", "few-shot"),
    "classify_and_write": ("decomposition", "few-shot", "reasoning"),
    "correct_by_checklist": ("self-correction",),
    "write_by_house_rules": ("zero-shot", "few-shot"),
    "draft_to_select": ("preliminary SQL",),
    "plan_in_symbols": ("intermediate form", "reasoning"),
    "translate_symbols": ("intermediate form",),
    "draft_for_tables": ("preliminary SQL", "few-shot"),
    "write_on_few_tables": ("few-shot", "schema hints"),
    "vote_of_the_strong": ("self-consistency",),
    "discard_columns": ("prompted selection",),
    "decompose": ("decomposition", "reasoning"),
    "refine_by_execution": ("execution feedback",),
    "write_from_samples": ("few-shot", "value retrieval"),
    "enrich_question": ("question enrichment", "few-shot", "value retrieval"),
    "rewrite_enriched": ("question enrichment", "execution feedback"),
    "state_clauses": ("intermediate form",),
    "write_from_clauses": ("intermediate form", "zero-shot"),
    "rewrite_with_values": ("value retrieval", "self-correction"),
    "rewrite_with_result": ("execution feedback", "self-correction"),
    "list_relevant_columns": ("prompted selection",),
    "write_broad_query": ("zero-shot", "reasoning"),
    "mend_broad_query": ("execution feedback",),
    "write_refined_query": ("execution feedback", "reasoning"),
    "answer_from_both": ("answer in words",),
    "judge_sufficiency": ("self-correction",),
    "try_queries_out": ("tool use", "reasoning", "execution feedback"),
    "nearest_tables": ("semantic ranking",),
    "write_on_selection": ("zero-shot",),
    "ask_beside": ("decomposition",),
    "write_each": ("zero-shot", "decomposition"),
    "mend_each": ("execution feedback",),
    "tell_each": ("answer in words",),
    "merge_paragraphs": ("answer in words",),
    "answer_from_rows": ("answer in words",),
}


def strategies_of(step: MethodStep) -> tuple[str, ...]:
    """List the strategies of a step; none for one of another package. Few-shot only where it shows
    examples."""
    tags = _OF_STEPS.get(step.name, ())
    if step.shots and not step.shows_examples:
        return tuple(t for t in tags if t != "few-shot")
    if step.shots and step.shows_examples and "few-shot" in tags:
        return tuple(t for t in tags if t != "zero-shot")
    return tags


def strategies_by_module(method: Method) -> dict[Module, tuple[str, ...]]:
    """List the strategies of a method in each of its modules, in the order of its steps."""
    found: dict[Module, tuple[str, ...]] = {}
    for module in MODULES:
        tags = _different(t for s in method.steps if s.module == module for t in strategies_of(s))
        if tags:
            found[module] = tags
    return found


def _different(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tags))
