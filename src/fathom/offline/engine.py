"""One database made ready for the offline method: compiled once, asked many times, from any thread."""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Self

from fathom.databases import Database
from fathom.errors import Misread
from fathom.forms import FormReader, as_if_tidy
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.checked_query import CheckedQuery
from fathom.offline.checks.overlaps import apart_columns
from fathom.offline.combined import COMBINING, CombiningReading, Composition, compositions
from fathom.offline.examples.adapt import asks_count, recast
from fathom.offline.examples.precedents import Precedents, among_twins, named, sure_values
from fathom.offline.examples.solved import Examples, Recalled
from fathom.offline.examples.variants import Habits
from fathom.offline.filters import FILTERS, Aside, FilterReading, FilterRule, said_apart
from fathom.offline.finishing.finished_query import FinishReading
from fathom.offline.grammars.amounts import Amounts
from fathom.offline.grammars.question_facts import GrammarReading
from fathom.offline.grammars.rules import GRAMMAR_RULES, proposed
from fathom.offline.grammars.units import Measures
from fathom.offline.hints import EvidenceReader, Glossary, Hint, Hints, apply_hints, complete, tells_how
from fathom.offline.knowledge import notes_of, with_hints
from fathom.offline.linking import Linker, Linking, default_linking_weights
from fathom.offline.linking.schema_words import uniform_columns
from fathom.offline.linking.text import tokenize
from fathom.offline.paraphrase.misspellings import KnownWords, known_words
from fathom.offline.paraphrase.question_facts import ParaphraseReading
from fathom.offline.paraphrase.rules import (
    HYPHENS,
    IN_FULL,
    IN_IDIOM,
    IN_TRADE,
    MISSPELLINGS,
    OWNERS,
    PERSONS,
    POINTING,
    SMALL_TALK,
    SOME_ROWS,
    UNITS,
    ParaphraseRule,
)
from fathom.offline.proposals.candidates import propose
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query, Unrepresentable, mentioned_tables
from fathom.offline.queries.rows import RowNames
from fathom.offline.queries.to_sql import render
from fathom.offline.ranking.choice import default_ranking_weights, taught
from fathom.offline.rule import RuleSwitches
from fathom.offline.sketches.shapes import default_shapes
from fathom.records import Assumption, Question, SolvedExample, TableProfile
from fathom.retrieval import ValueIndex

REMEMBERED = 16
"""Questions whose proposals are kept: those asked at once. Each holds thousands of small objects, and the
more there are, the longer Python's collector stops a question now and then."""
PROPOSALS = 60
BASES = 40
"""Likely queries of which shares and groups by period are made."""
RECALLED = 10
LIKELY = 20
_WHO = frozenset(("who", "whose", "whom"))


class OfflineEngine:
    """Links questions to one database and proposes queries. What it found for a question is remembered.

    `plain` is the same engine without any solved question: itself where there is none.
    """

    def __init__(
        self,
        database: Database,
        knowledge: KnowledgePack = KnowledgePack(),  # noqa: B008, frozen
        examples: Sequence[SolvedExample] = (),
        *,
        cache: Path | None = None,
    ) -> None:
        self.database, self.knowledge, self.cache = database, knowledge, cache
        self.rules = RuleSwitches()
        self.forms = FormReader(database.schema, database.profile(), database.dialect, knowledge.formats)
        schema, profiles = as_if_tidy(database.schema, database.profile(), self.forms.forms)
        self._profiles = profiles
        self.schema = with_hints(schema, knowledge)
        self.planner = JoinPlanner(self.schema, uniform_columns(profiles), apart_columns(database))
        self.shapes = default_shapes()
        self.index = ValueIndex.open_or_build(database, cache)
        self._notes = notes_of(knowledge, self.schema)
        self.linker = Linker(
            self.schema,
            default_linking_weights(),
            profiles=profiles,
            index=self.index,
            notes=self._notes,
        )
        self.names = RowNames(self.schema, profiles)
        self.amounts = Amounts(self.planner, profiles)
        self._glossary = Glossary(knowledge, self.planner)
        self._evidence = EvidenceReader(self.planner, knowledge, self.index)
        dialect = knowledge.dialect if knowledge.examples and not examples else database.dialect
        self._linked = lru_cache(REMEMBERED)(self.linker.link)
        known = self._compiled((*knowledge.examples, *examples), dialect or "sqlite")
        self.plain = self
        if known.solved:
            self.plain = copy(self)
            self.plain.plain = self.plain
            self.plain._learn_from(self._compiled((), known.dialect))
        self._learn_from(known, cache)

    def _compiled(self, solved: Iterable[SolvedExample], dialect: str) -> Examples:
        return Examples(solved, self.planner, dialect, self._notes.meanings)

    def _learn_from(
        self, examples: Examples, cache: Path | None = None, *, trust: float | None = None
    ) -> None:
        self.examples = examples
        self.ranking = taught(default_ranking_weights(), [(s.words, s.query) for s in examples.solved])
        self.habits = Habits(examples, self.planner, self.index, cache, trust=trust)
        self._precedents = Precedents(examples)
        self.forget_questions()

    def forget_questions(self) -> None:
        """Forget what was found for questions, as if none had been asked yet."""
        self.understand = lru_cache(REMEMBERED)(self._understand)
        self.propose = lru_cache(REMEMBERED)(self._propose)
        self.written = lru_cache(REMEMBERED)(self._written)

    def without(self, held_out: Container[int]) -> Self:
        """The same engine as it would be without some of its solved questions, by their places."""
        kept = [s.example for i, s in enumerate(self.examples.solved) if i not in held_out]
        other = copy(self)
        other._learn_from(self._compiled(kept, self.examples.dialect), trust=self.habits.trust)
        return other

    def without_rules(self, off: Collection[str]) -> Self:
        """The same engine with some rules switched off, by their names."""
        other = copy(self)
        other.rules = RuleSwitches(frozenset(off))
        other.forget_questions()
        other.plain = other if self.plain is self else self.plain.without_rules(off)
        return other

    def link(self, question: Question) -> Linking:
        """The question's words tied to the database, with what its evidence and the pack say of them."""
        return self.understand(question)[0]

    def spelt_right(self, question: Question) -> tuple[Question, tuple[Assumption, ...]]:
        """The question with misspelt words as they were meant, and what to tell of it."""
        return self._put(question, MISSPELLINGS)

    @cached_property
    def _known_words(self) -> KnownWords:
        texts = (
            *(s for said in self._notes.synonyms.values() for s in said),
            *(phrase for _, phrase, _ in self._notes.meanings),
            *(word for term in self.knowledge.glossary for word in (*term.words, term.meaning)),
            *(s.example.question for s in self.examples.solved),
        )
        return known_words(self.linker.words.surface, texts)

    def to_the_point(self, question: Question) -> Question:
        """The question without what is said around it."""
        found = self.rules.found(SMALL_TALK, question.text)
        return replace(question, text=found[0]) if found else question

    def in_idiom(self, question: Question) -> Question:
        """The question as the weights know such questions; as it is where solved ones show how people ask."""
        if self.examples.solved:
            return question
        short = self.in_units(question).question
        for rule in IN_IDIOM:
            if (asked := self._put(short, rule)[0]) is not short:
                return asked
        told_who = any(_WHO & {*h.phrase.casefold().split()} for h in self.hints(short).hints)
        return short if told_who else self._put(short, PERSONS)[0]

    def _put(self, question: Question, *rules: ParaphraseRule) -> tuple[Question, tuple[Assumption, ...]]:
        """The question as some rules put it, one after the other, and what to tell of it."""
        told: list[Assumption] = []
        for rule in rules:
            for found in self.rules.found(rule, self._reading(question, self.link(question))):
                question = found.question
                told += found.told
        return question, tuple(told)

    def _reading(self, question: Question, linking: Linking) -> ParaphraseReading:
        return ParaphraseReading(
            question,
            linking,
            self.planner,
            self.names,
            self._profiles,
            self.amounts.lines,
            lambda: self._known_words,
        )

    def in_units(self, question: Question) -> Measures:
        """The question without courtesies, its measures in the units of the columns that hold them."""
        if self.examples.solved:
            return Measures(question)
        short = self.to_the_point(question)
        found = self.rules.found(UNITS, self._reading(short, self.link(short)))
        return found[0] if found else Measures(short)

    def in_trade(self, question: Question) -> Question:
        """The question with what was bought, and who bought it, named: "which products did ... buy"."""
        if self.examples.solved or question.evidence or not self.amounts.lines:
            return question
        short = self.to_the_point(question)
        found = self._put(short, IN_TRADE)[0]
        return question if found is short else found

    def in_full(self, question: Question) -> tuple[Question, tuple[Assumption, ...]]:
        """The question with shortened names in full, and things by the names that the database has for them;
        as it is where solved ones say more, and by its names as it is where evidence does.
        """
        if self.examples.solved:
            return question, ()
        question = self._put(question, HYPHENS)[0]
        short = self.to_the_point(question)
        owned = self._put(short, OWNERS)[0]
        if question.evidence:
            return (question if owned is short else owned), ()
        named, told = self._put(owned, *IN_FULL)
        return (named, told) if named.text != short.text else (question, ())

    def some_of(self, question: Question) -> tuple[Question, int] | None:
        """The question for all rows, and how many of them it wants, whichever; None where it doesn't say."""
        short = self.to_the_point(question)
        if self.examples.solved:
            return None
        found = self.rules.found(SOME_ROWS, self._reading(short, self.link(short)))
        return found[0] if found else None

    def said_apart(self, question: Question) -> Aside | None:
        """The question without what restricts it by rule; None where nothing does."""
        question = self.to_the_point(question)
        return said_apart(question, self.filter_reading(question))

    def filter_reading(self, question: Question, rules: tuple[FilterRule, ...] = FILTERS) -> FilterReading:
        """A question as rules for filters read it."""
        return FilterReading(question.text, *self._known_of(question), rules, self.rules)

    def in_parts(self, question: Question) -> tuple[Composition, ...]:
        """The ways to ask the question in plain ones, whose queries are put together."""
        question = self.to_the_point(question)
        reading = CombiningReading(question.text, *self._known_of(question), COMBINING, self.rules)
        return tuple(compositions(reading))

    def _known_of(
        self, question: Question
    ) -> tuple[Linking, JoinPlanner, RowNames, Mapping[str, TableProfile], Amounts]:
        """All that rules are told of a question beside its text."""
        return self.link(question), self.planner, self.names, self._profiles, self.amounts

    def checked(self, query: Query, linking: Linking) -> CheckedQuery:
        """A query as checks of it read it."""
        uniform, solved = self.linker.words.uniform, bool(self.examples.solved)
        known = (self.names, self.planner, self.amounts, uniform, solved)
        return CheckedQuery(query, linking, *known, missing=linking.unexplained)

    def finish_reading(self, asked: Question, meant: Question, *, is_solved: bool = False) -> FinishReading:
        """A question, as it is asked and as it was meant, whose query is completed."""
        profiles, hints = self._profiles, self.hints(meant).hints
        said, understood, measures = self.link(asked), self.link(meant), self.in_units(asked)
        return FinishReading(said, understood, hints, measures, self.names, self.planner, profiles, is_solved)

    def nearest(self, question: Question) -> float:
        """How similar the nearest solved question is to this one, from 0 to 1."""
        return float(self.examples.similarities(self.link(question)).max(initial=0.0))

    def hints(self, question: Question) -> Hints:
        """Give the hints of the question's evidence, and the terms of the pack that it uses."""
        return self.understand(question)[1]

    def is_told_how(self, question: Question) -> bool:
        """True if a question's evidence tells how to answer it in words that can't be followed."""
        return tells_how(question.evidence) and tells_how(self._evidence.words(question))

    def _understand(self, question: Question) -> tuple[Linking, Hints]:
        words = self._evidence.words(question)
        linking = self._precedents.apply(self._linked(replace(question, evidence=words)))
        likely = {t: linking.table_score(t) + 0.5 * named(linking, t) for t in linking.tables}
        hints = self._evidence.read(question.evidence, linking.tokens, likely)
        hints = replace(hints, hints=(*hints.hints, *self._glossary.hints(linking, likely)))
        linking = apply_hints(self._pointed(question, linking), hints.hints)
        if self.examples.solved and self.knowledge.examples:
            told = {s for h in hints.hints for s in h.spans}
            sure = [h for h in sure_values(linking) if not any(s.overlaps(t) for s in h.spans for t in told)]
            hints = replace(hints, hints=(*hints.hints, *sure))
        return linking, hints

    def _pointed(self, question: Question, linking: Linking) -> Linking:
        """The linking with values first that the question points at; solved ones and evidence know better."""
        if self.examples.solved or any(t.evidence for t in linking.tokens):
            return linking
        for rule in POINTING:
            for pointed in self.rules.found(rule, self._reading(question, linking)):
                linking = pointed
        return linking

    def _written(self, question: Question) -> Sequence[tuple[Proposal, str]]:
        """The proposals for a question that can be written as SQL, each with its text."""
        found = []
        for proposal in self.propose(question):
            try:
                found.append((proposal, self.sql_of(proposal.query)))
            except Unrepresentable:
                continue
        return tuple(found)

    def sql_of(self, query: Query) -> str:
        """A query as SQL of the database's engine that reads each column by its form.

        Raises `Unrepresentable` where no keys connect its tables, or where it selects nothing.
        """
        text = render(query, self.planner, self.database.dialect)
        with suppress(Misread):  # as it is: should it be chosen, the answer says what stops it
            return self.forms.read(text)
        return text

    def _propose(self, question: Question) -> tuple[Proposal, ...]:
        linking, hints = self.link(question), self.hints(question).hints
        found = propose(linking, self.schema, self.planner, self.shapes, PROPOSALS)
        found = complete(found, hints, linking, self.planner, PROPOSALS)
        known = {p.query: p for p in found}
        recalled = {p.query: p for p in self._recalled(linking, hints, known)}
        return (
            *recalled.values(),
            *proposed(
                GrammarReading(
                    question.text,
                    *self._known_of(question),
                    GRAMMAR_RULES,
                    self.rules,
                    hints,
                    found[:BASES],
                    bool(self.examples.solved),
                )
            ),
            *(p for p in found if p.query not in recalled),
            *self._habitual(linking, hints, {*recalled, *known}),
        )

    def _recalled(
        self, linking: Linking, hints: Sequence[Hint], known: Mapping[Query, Proposal]
    ) -> Sequence[Proposal]:
        """The queries of similar solved questions, put for this one; scored where sketches gave them too."""
        solved = [
            replace(
                known.get(query, Proposal(query)),
                source="example",
                similarity=r.similarity,
                kept=r.kept,
            )
            for r in self.examples.recall(linking, RECALLED)
            if (query := self._recast(r, linking)) is not None
        ]
        return _at_home(solved, hints, linking, self.planner)[: 2 * RECALLED]

    def _recast(self, recalled: Recalled, linking: Linking) -> Query | None:
        """A solved query for this question: over the tables that it names, in the form that it asks for."""
        count = asks_count(linking.tokens)
        same = count == asks_count(tokenize(recalled.example.question))
        return recast(
            among_twins(recalled.query, linking),
            count=None if same else count,
            rows=self.names,
            unsaid=self._glossary.unsaid(recalled.example.question, linking.tokens),
        )

    def _habitual(self, linking: Linking, hints: Sequence[Hint], known: set[Query]) -> Sequence[Proposal]:
        """Queries such as are asked here, that neither sketches nor similar questions gave."""
        if not self.habits:
            return ()
        likely = [q for q in self.habits.likely(linking, LIKELY) if q.query not in known]
        proposals = [Proposal(q.query, source="example", kept=q.kept) for q in likely]
        return complete(proposals, hints, linking, self.planner, LIKELY)


def _at_home(
    solved: Sequence[Proposal], hints: Sequence[Hint], linking: Linking, planner: JoinPlanner
) -> list[Proposal]:
    """Solved queries with what they miss of the hints, best first, where that is about the same tables.

    A solved query that has to be joined with what this question is about answers another question.
    """
    found: dict[Query, Proposal] = {}
    for one in solved:
        tables = set(mentioned_tables(one.query))
        for proposal in complete([one], hints, linking, planner, RECALLED):
            if tables.issuperset(mentioned_tables(proposal.query)):
                known = found.get(proposal.query)
                if known is None or known.score < proposal.score:
                    found[proposal.query] = proposal
    return sorted(found.values(), key=lambda p: -p.score)
