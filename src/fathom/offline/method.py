"""The offline method as steps: link, propose, choose."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from fathom.methods import Context, Method, step
from fathom.offline.checks.light_words import names_something
from fathom.offline.cycle_collector import undisturbed
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.finishing.description import describe
from fathom.offline.linking import Linking
from fathom.offline.opinions import settle_advised
from fathom.offline.queries.to_sql import literal
from fathom.offline.readings import is_worth_showing, readings
from fathom.offline.rules import named_rules
from fathom.offline.settled import Settled
from fathom.offline.stated import with_confidence
from fathom.records import Assumption, Candidate, Draft, Refusal, Selection
from fathom.text.inflection import quoted_list

SELECTED = 0.3
SHOWN = 20


Names = tuple[str, ...]


def _engine(context: Context, without_rules: Names) -> OfflineEngine:
    off = named_rules(without_rules)
    return engine_for(context.database, context.knowledge, context.examples, context.cache, without_rules=off)


@step("selection")
async def link_question(draft: Draft, context: Context, *, without_rules: Names = ()) -> Draft:
    """Tie the question's words to tables, columns and values. `without_rules` names rules to switch off."""
    return await asyncio.to_thread(undisturbed, _link, draft, context, without_rules)


def _link(draft: Draft, context: Context, without_rules: Names) -> Draft:
    if not any(table.columns for table in context.database.schema.tables):
        return replace(draft, confidence=0.0, refusal=Refusal("The database holds no tables to ask about."))
    engine = _engine(context, without_rules)
    question, _ = engine.spelt_right(draft.question)
    engine = engine.plain
    linking = engine.link(engine.in_idiom(question))
    notes = {
        "values": [
            {"text": v.text, "column": ".".join(v.column), "value": v.value, "probability": v.probability}
            for v in linking.values[:10]
        ],
        "not_understood": list(linking.unexplained),
    }
    return replace(draft, selection=_selection(linking), notes=notes)


def _selection(linking: Linking) -> Selection:
    likely: dict[str, list[str]] = {t: [] for t in linking.tables if linking.table_score(t) >= SELECTED}
    for column in linking.columns:
        if max(linking.score(column, role) for role in linking.column_scores) >= SELECTED:
            likely.setdefault(column.table, []).append(column.column)
    return Selection({t: tuple(c) for t, c in likely.items()})


@step("generation")
async def propose_queries(draft: Draft, context: Context, *, without_rules: Names = ()) -> Draft:
    """Make candidate queries from likely sketches and by rules, but for some."""
    return await asyncio.to_thread(undisturbed, _propose, draft, context, without_rules)


def _propose(draft: Draft, context: Context, without_rules: Names) -> Draft:
    engine = _engine(context, without_rules)
    question, _ = engine.spelt_right(draft.question)
    engine = engine.plain
    candidates = [
        Candidate(sql, proposal.score) for proposal, sql in engine.written(engine.in_idiom(question))
    ]
    return replace(draft, candidates=tuple(candidates[:SHOWN]))


@step("revision")
async def choose_query(
    draft: Draft, context: Context, *, confidence: float | None = None, without_rules: Names = ()
) -> Draft:
    """Run the first candidates, choose, and say how sure that is.

    Declines below `confidence` (0 to 1); where that is None, where less than nine in ten answers were right
    when it was calibrated. `without_rules` names rules to switch off, which is for measuring them.
    """
    return await asyncio.to_thread(undisturbed, _choose, draft, context, confidence, without_rules)


def _choose(draft: Draft, context: Context, confidence: float | None, without_rules: Names) -> Draft:
    engine = _engine(context, without_rules)
    question, spelt = engine.spelt_right(draft.question)
    found = settle_advised(engine, question)
    if found is None:
        missing = engine.plain.link(engine.plain.in_idiom(question)).unexplained
        return replace(draft, confidence=0.0, refusal=Refusal("Nothing in the database fits.", missing))
    found = with_confidence(engine, found)
    sure = found.sure if confidence is None else found.confidence >= confidence
    unrelated = _fits_nothing(found.linking, found.missing)
    solution, order = found.solution, found.solution.verdict.choice.order
    whole = found.source == solution.proposals[order[0]].source  # not put together from what was asked apart
    torn = solution.verdict.torn
    asks = whole and (confidence is None and not found.missing if torn else sure)
    rival = solution.verdict.rival if asks and _differs(engine, found) else None
    refusal = None if sure or rival is not None else Refusal(_why(found.missing), found.missing, unrelated)
    worth_showing = refusal is not None and not unrelated and is_worth_showing(found)
    shown = readings(engine, found, rival) if worth_showing or rival is not None else ()
    scores = solution.verdict.choice.scores
    result = found.result
    tried = [Candidate(solution.sqls[i], scores[i], error=solution.checked[i].error) for i in order[:SHOWN]]
    if found.sql not in {c.sql for c in tried}:  # nested, restricted or completed after the choice
        tried = [Candidate(found.sql, scores[order[0]]), *tried[: SHOWN - 1]]
    return replace(
        draft,
        candidates=tuple(tried),
        sql=found.sql,
        result=result if result is not None and result.truncated is None else None,
        confidence=found.confidence,
        refusal=refusal,
        readings=shown,
        assumptions=(
            *draft.assumptions,
            *spelt,
            *found.assumptions,
            *(_words_passed_over(found) if sure else ()),
            *_values(engine, found.linking, found.sql),
        ),
        notes={
            "tried": sum(c.result is not None for c in solution.checked),
            "source": found.source,
            "rules": list(found.rules),
        },
    )


def _words_passed_over(found: Settled) -> Iterator[Assumption]:
    """Remarks on words of an answered question that nothing stands for: "usually"."""
    for word in found.missing:
        if names_something(word):
            text = f"“{word}” is passed over: nothing in the database stands for it."
            yield Assumption("default", text)


def _fits_nothing(linking: Linking, missing: tuple[str, ...]) -> bool:
    """True if none of the question's words for things is accounted for: then no query is a guess at it.

    Dates, numbers, and words such as "average" can be asked of anything.
    """
    said = [
        *(d.span for d in linking.dates),
        *(n.span for n in linking.numbers),
        *(q.span for q in linking.quantities),
        *(s.span for s in linking.superlatives),
    ]
    guessed = {
        linking.tokens[i].text for v in linking.values if v.match == "typo" for i in range(*v.span)
    }  # "weather" is no Heather where it is all that the question speaks of
    words = {
        token.text
        for place, token in enumerate(linking.tokens)
        if token.kind == "word"
        and not token.stop
        and not token.evidence
        and not any(s.first <= place < s.end for s in said)
    }
    return bool(words) and words <= guessed.union(missing)


def _why(missing: tuple[str, ...]) -> str:
    if missing:
        return f"Nothing in the database matches {quoted_list(missing, 'or')}."
    return "No query that I found is likely enough to be right."


def _differs(engine: OfflineEngine, found: Settled) -> bool:
    """True if there is another reading, close to what was settled on, that is told in other words."""
    solution, rival = found.solution, found.solution.verdict.rival
    if rival is None:
        return False
    other = describe(solution.proposals[rival].query, engine.planner)
    return describe(found.query, engine.planner) != other


def _values(engine: OfflineEngine, linking: Linking, sql: str) -> tuple[Assumption, ...]:
    """Give remarks on values that were not found letter by letter, or that all rows have."""
    told = []
    for value in linking.values:
        where = f"{value.column.table}.{value.column.column}"
        used = all(t in sql for t in (literal(value.value), *value.column))
        itself = str(value.value).casefold() == value.text.casefold()  # the year of a date
        if used and not itself and value.match not in {"exact", "quoted", "number", "date"}:
            told.append(
                Assumption("value", f"“{value.text}” was read as {value.value!r} in {where}.", value.match)
            )
        elif value.column in engine.linker.words.uniform and value.column.table in sql and not used:
            text = f"“{value.text}” restricts nothing: every row has {value.value!r} in {where}."
            told.append(Assumption("value", text, value.match))
    return tuple(dict.fromkeys(told))


OFFLINE = Method(
    "offline",
    (link_question, propose_queries, choose_query),
    summary="No language model: links, fills likely query shapes, ranks, checks, declines when unsure.",
)
