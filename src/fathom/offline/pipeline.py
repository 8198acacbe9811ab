"""From a question to the one query that answers it, and how sure that is."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from fathom.errors import QueryError
from fathom.offline.checks.rules import DENIALS_LEFT, NAMED
from fathom.offline.checks.trial_runs import Checked, brief
from fathom.offline.combined import Composition
from fathom.offline.engine import OfflineEngine
from fathom.offline.filters import Aside
from fathom.offline.finishing.finished_query import FinishedQuery
from fathom.offline.finishing.nobody import told_of_nobody
from fathom.offline.finishing.rules import finished
from fathom.offline.finishing.shown_as_told import shown_as_told
from fathom.offline.grammars.assumptions import stated
from fathom.offline.hints import told, without_instructions
from fathom.offline.inner_questions import solve_nested
from fathom.offline.knowledge import apply_conventions
from fathom.offline.linking import Linking
from fathom.offline.paraphrase.for_each import EACH
from fathom.offline.paraphrase.rules import LISTED_COLUMNS
from fathom.offline.proposals.proposals import GRAMMARS
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    Query,
    Unrepresentable,
    expressions,
    is_aggregate,
)
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.offline.settled import Settled
from fathom.offline.solution import Solution, solve
from fathom.offline.verdict import DOUBTED, SETTLED, UNLEARNED, solved_before
from fathom.records import Assumption, Question, Result

_CHECKED_IN_PARTS = frozenset(("example", "composed"))
"""Sources whose parts were checked: solved questions, and questions put together from settled ones."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    query: Query
    sql: str
    checked: Checked
    source: str
    standing: float
    by_rule: bool
    sure: bool
    rules: tuple[str, ...] = ()

    def doubted(self) -> "_Chosen":
        """The same as not sure, that stands for no more than what nobody learned."""
        return replace(self, sure=False, standing=min(self.standing, UNLEARNED), by_rule=True)


def settle(engine: OfflineEngine, asked: Question) -> Settled | None:
    """The query for a question; None where nothing in the database fits."""
    asked, told = engine.in_full(without_instructions(asked))
    found = _some_rows(engine, asked) or _settle_told(engine, engine.in_trade(asked))
    if found is not None and engine.is_told_how(asked):
        found = found.doubted(DOUBTED)
    if found is not None and not asked.evidence:
        found = _denying(engine, found, engine.link(asked))
    return found and replace(found, assumptions=(*found.assumptions, *told))


def _denying(engine: OfflineEngine, found: Settled, linking: Linking) -> Settled:
    """Lower the certainty of a query that denies fewer things than its question does."""
    if found.source in _CHECKED_IN_PARTS:
        return found
    passed = engine.rules.found(DENIALS_LEFT, engine.checked(found.query, linking))
    if not passed:
        return found
    missing = tuple(dict.fromkeys((*found.missing, *(linking.tokens[i].text for i in passed))))
    return replace(found.doubted(UNLEARNED), missing=missing, rules=(*found.rules, DENIALS_LEFT.name))


def _some_rows(engine: OfflineEngine, asked: Question) -> Settled | None:
    """The query for as many rows as the question wants, whichever; None where it doesn't, or lists none."""
    some = engine.some_of(asked)
    if some is None:
        return None
    every, count = some
    found = _settle_aside(engine, engine.in_trade(every))
    if found is None or not _lists(found.query):
        return None
    query = replace(found.query, limit=count)
    run = _run(engine, query)
    told = Assumption("default", f"Any {count} rows: the question says how many, not which.")
    return run and replace(
        found,
        query=query,
        sql=run[0],
        result=run[1],
        assumptions=(*found.assumptions, told),
        finish=_then(found.finish, lambda q: replace(q, limit=count) if _lists(q) else None),
        others=(),
    )


def _then(
    first: Callable[[Query], Query | None], second: Callable[[Query], Query | None]
) -> Callable[[Query], Query | None]:
    """One change of a query after the other."""

    def both(query: Query) -> Query | None:
        changed = first(query)
        return None if changed is None else second(changed)

    return both


def _lists(query: Query) -> bool:
    """True if a query gives all rows of a kind, not one number or as many as it says."""
    return query.limit is None and query.compound is None and not all(map(is_aggregate, query.select))


def _settle_told(engine: OfflineEngine, asked: Question) -> Settled | None:
    """The query for a question as a whole, else that of what it asks with what it says apart to show."""
    whole = _settle_aside(engine, asked)
    asked = engine.to_the_point(asked)
    listed = () if engine.examples.solved else engine.rules.found(LISTED_COLUMNS, asked.text)
    told = next(iter(listed), None)
    if told is None or (whole and whole.sure and len(whole.query.select) >= told.least):
        return whole
    found = _settle_aside(engine, replace(asked, text=told.question))
    surer = whole is None or whole.sure or (found is not None and found.standing >= whole.standing)
    if found is None or not surer:
        return whole and whole.beside(found)

    def as_told(query: Query) -> Query | None:
        return shown_as_told(query, told, engine.link(asked), engine.names, engine.planner)

    query = as_told(found.query)
    run = None if query is None else _run(engine, query)
    if query is None or run is None or (whole and _divides(whole.query) and not _divides(query)):
        return whole
    shown = replace(found, query=query, sql=run[0], result=run[1], source="told", by_rule=True, others=())
    return replace(shown, finish=_then(found.finish, as_told)).beside(whole)


def _settle_aside(engine: OfflineEngine, asked: Question) -> Settled | None:
    """The query for a question, as a whole or without what restricts it said apart."""
    # Solved questions and evidence say themselves how what is asked here is meant.
    if engine.examples.solved or asked.evidence:
        return _settle(engine, asked)
    ways = engine.in_parts(asked)
    needed = any(w.needed for w in ways)
    aside = engine.said_apart(asked) if any(w.whole for w in ways) else None
    # Ratios know fewer ways to lack something than what is said apart.
    first = needed or (aside is not None and aside.learned)
    whole = None if first else _settle_apart(engine, asked)
    if whole is not None and whole.sure:
        return whole
    composed: list[Settled] = []
    for way in ways:
        made = _composed(engine, asked, way, doubtful=not composed and not way.learned)
        composed += [] if made is None or (way.learned and not made.sure) else [made]
    found = next((c for c in composed if c.sure), None)
    if found is not None:
        return found
    if not needed:
        whole = whole or _settle_apart(engine, asked)
        guessed = composed and (whole is None or (not whole.sure and not _divides(whole.query)))
        found = composed[0] if guessed else whole
        return found and found.beside(whole, *composed)
    found = composed[0].beside(*composed[1:]) if composed else _settle_apart(engine, asked)
    return found and found.doubted(UNLEARNED)


def _composed(engine: OfflineEngine, asked: Question, way: Composition, *, doubtful: bool) -> Settled | None:
    """The query that is put together from those of plain questions, also of `doubtful` ones."""
    parts: list[Settled] = []
    for text in way.questions:
        part = settle(engine, replace(asked, text=text))
        if part is None:
            return None
        parts.append(part)
        if not part.sure and not doubtful:
            break  # what is not understood in part is not in whole
    made = way.combine([p.query for p in parts]) if len(parts) == len(way.questions) else None
    run = None if made is None else _run(engine, made[0])
    if made is None or run is None:
        return None
    told = (a for p in parts for a in p.assumptions)
    return replace(
        parts[0],
        query=made[0],
        sql=run[0],
        result=run[1],
        source="composed",
        standing=min(SETTLED, *(p.standing for p in parts)),
        by_rule=True,
        sure=all(p.sure for p in parts) and way.is_sensible(run[1]),
        assumptions=tuple(dict.fromkeys((*told, made[1]))),
        linking=engine.link(asked),
        finish=lambda _: None,
        others=(),
        rules=tuple(dict.fromkeys((way.rule, *(r for p in parts for r in p.rules)))),
    )


def _divides(query: Query) -> bool:
    return any(isinstance(e, Arithmetic) and e.operator == "/" for e in expressions(query))


def _settle_apart(engine: OfflineEngine, asked: Question) -> Settled | None:
    """The query for a question with what restricts it said apart, if anything does."""
    aside = engine.said_apart(asked)
    if aside is None:
        return _settle(engine, asked)
    whole = _settle(engine, asked) if aside.learned else None
    if whole is not None and whole.sure:
        return whole
    restricted = _restricted(engine, aside)
    if restricted is not None and restricted.sure:
        return restricted
    whole = whole or _settle(engine, asked)
    if not aside.needed and (restricted is None or (whole is not None and whole.sure)):
        return whole and whole.beside(restricted)
    found = restricted.beside(whole) if restricted else whole
    return found and found.doubted(UNLEARNED)


def _run(engine: OfflineEngine, query: Query) -> tuple[str, Result] | None:
    """A query as SQL, and what it gives; None where it can't be written or run."""
    try:
        sql = engine.sql_of(query)
        return sql, engine.database.run(sql, brief(engine.database), trusted=True)
    except (Unrepresentable, QueryError):
        return None


def result_of(engine: OfflineEngine, settled: Settled) -> Result | None:
    """Give the result of the settled query, run again where it was completed after its run."""
    if settled.result is not None:
        return settled.result
    run = _run(engine, settled.query)
    return None if run is None else run[1]


def _restricted(engine: OfflineEngine, aside: Aside) -> Settled | None:
    """The query of a question without its restrictions, under these."""
    plain = _settle(engine, aside.question)
    whole = None if plain is None else aside.put_back(plain.query)
    if plain is None or whole is None:
        return None
    query, told = whole
    run = _run(engine, query)
    if run is None:
        return None
    checked = engine.checked(query, engine.link(aside.question))
    if engine.rules.says_any((NAMED["shows_what_restricts"],), checked):
        plain = plain.doubted(UNLEARNED)
    return replace(
        plain,
        query=query,
        sql=run[0],
        result=run[1],
        source="aside",
        standing=min(plain.standing, SETTLED),
        by_rule=True,
        assumptions=(*plain.assumptions, *told),
        finish=_then(plain.finish, lambda q: (aside.put_back(q) or (None,))[0]),
        others=(),
        rules=(*aside.rules, *plain.rules),
    )


def _settle(engine: OfflineEngine, asked: Question) -> Settled | None:
    """The query for a question as a whole."""
    question = engine.in_idiom(asked)
    solution = solve(engine, question)
    if solution is None:
        return None
    chosen = _chosen(engine, question, solution)
    each = EACH in question.text and EACH not in asked.text
    if each and not _calculates(chosen.query):  # each of what was asked for a number
        chosen = chosen.doubted()
    completed = _finished(engine, asked, question, chosen.query, chosen.source)
    query = completed.query
    if not completed.says_roles:
        chosen = chosen.doubted()
    measures = engine.in_units(asked)
    if not measures.kept_by(chosen.query):
        chosen = chosen.doubted()
    same = query == chosen.query
    hierarchy = chosen.source == "hierarchy"
    return Settled(
        query,
        chosen.sql if same else engine.sql_of(query),
        chosen.checked.result if same else None,
        chosen.source,
        chosen.standing,
        chosen.by_rule,
        chosen.sure,
        solution.verdict.choice.missing,
        (
            *told(chosen.query, engine.hints(question).hints),
            *measures.told,
            *completed.told,
            *(stated(query) if chosen.source in GRAMMARS else ()),
            *(told_of_nobody(query, chosen.checked.result, engine.names) if hierarchy else ()),
        ),
        engine.link(question),
        solution,
        finish=lambda other: _finished(engine, asked, question, other, chosen.source).query,
        rules=(*chosen.rules, *completed.rules),
    )


def _finished(
    engine: OfflineEngine, asked: Question, question: Question, query: Query, source: str
) -> FinishedQuery:
    """A candidate as its question has it, with what the knowledge pack and the columns say of it."""
    query, conventions = apply_conventions(query, asked.text, engine.knowledge, engine.planner)
    reading = engine.finish_reading(asked, question, is_solved=source == "example")
    found = finished(query, reading, engine.rules)
    return replace(found, told=(*conventions, *found.told))


def _chosen(engine: OfflineEngine, question: Question, solution: Solution) -> _Chosen:
    """The best candidate, or the query of a question within the question, where it has one."""
    choice = solution.verdict.choice
    best = choice.order[0]
    proposal, checked = solution.proposals[best], solution.checked[best]
    rules = tuple(filter(None, (proposal.rule, *choice.doubts)))
    chosen = _Chosen(
        proposal.query,
        solution.sqls[best],
        checked,
        proposal.source,
        choice.confidence,
        choice.by_rule,
        choice.sure,
        rules,
    )
    if proposal.source in GRAMMARS or solved_before(proposal):
        return chosen
    nested = solve_nested(engine, question)
    if nested is None:
        return chosen
    inside = replace(
        chosen,
        query=nested.query,
        sql=nested.sql,
        checked=nested.checked,
        source="nested",
        by_rule=True,
        rules=choice.doubts,
    )
    if _agree(nested.checked, checked):
        return inside
    return replace(inside, standing=nested.confidence, sure=nested.sure, rules=())


def _agree(one: Checked, other: Checked) -> bool:
    """True if two queries gave the same rows, so that one is as sure as the other."""
    return (
        other.result is not None
        and QueryOutcome.of(one.result).digest == QueryOutcome.of(other.result).digest
    )


def _calculates(query: Query) -> bool:
    return any(isinstance(e, Aggregate) for e in expressions(query))
