"""A benchmark: a stream of questions with gold, and where they come from."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from fathom.benchmarks.choice import QuestionSelection
from fathom.records import Question, Schema, SolvedExample


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """One question with its gold.

    `database` is a URL or a path to connect to, empty where the benchmark has none; `database_name` the
    benchmark's own name for it. `gold` holds every accepted query, best first, and is empty where the
    question can't be answered or gold is not published. `tags` are categories as published. `readings` are
    what an ambiguous question may mean, each in words with its query; those queries are gold as well.
    """

    id: str
    text: str
    database: str
    gold: tuple[str, ...]
    evidence: str = ""
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    answerable: bool = True
    database_name: str = ""
    answer: str = ""
    readings: tuple[tuple[str, str], ...] = ()

    @property
    def question(self) -> Question:
        """The part that a method gets to see: never the gold."""
        return Question(self.text, id=self.id, database=self.database, evidence=self.evidence)


@dataclass(frozen=True)
class Benchmark:
    """Questions with gold as a stream: iterate it as often as you like, it reads its files anew each time.

    Iterating gives those of the `choice`, where there is one.

    `comparison` is the one that its published figures use; `files` are read for the questions; `dialect` is
    the SQL of its gold queries; `splits` are all that the same source holds.
    """

    name: str
    split: str
    comparison: str
    dialect: str
    files: tuple[Path, ...]
    splits: tuple[str, ...]
    read: Callable[[], Iterator[BenchmarkQuestion]] = field(repr=False)
    read_training: Callable[[], Iterator[BenchmarkQuestion]] | None = field(default=None, repr=False)
    read_schemas: Callable[[], Mapping[str, Schema]] | None = field(default=None, repr=False)
    find_packs: Callable[[str], tuple[Path, ...]] | None = field(default=None, repr=False)
    choice: QuestionSelection = QuestionSelection()

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        """The questions in the order of the files. Raises `InputError` where one is malformed."""
        return (question for _, question in self.numbered()) if self.choice else self.read()

    def only(self, choice: QuestionSelection) -> "Benchmark":
        """The same benchmark with some of its questions."""
        return replace(self, choice=choice)

    def asked_of(self, database: str) -> "Benchmark":
        """The same questions, all asked of another database, a URL or a path."""
        return replace(self, read=lambda: (replace(q, database=database) for q in self.read()))

    def numbered(self) -> Iterator[tuple[int, BenchmarkQuestion]]:
        """The questions with their positions among all that the files hold, from 0."""
        chosen = self.chosen
        return ((i, q) for i, q in enumerate(self.read()) if chosen is None or i in chosen)

    @cached_property
    def chosen(self) -> set[int] | None:
        """The positions of the questions that the choice takes; None where it takes all.

        Raises as `Choice.of`.
        """
        return self.choice.of(self.read()) if self.choice else None

    def as_run(self, sql: str, question: BenchmarkQuestion) -> str:
        """A query of a prediction file, in the dialect of the engine that the question is asked of here."""
        engine = self.runs_on(question)
        if not engine:
            return sql
        from fathom.benchmarks.translation import translated  # noqa: PLC0415 - scoring counts its start

        return translated(sql, self.dialect, engine)

    def runs_on(self, question: BenchmarkQuestion) -> str:
        """The engine that gold and predictions are translated for; empty where they run as they are."""
        if self.dialect != "bigquery":
            return ""
        from fathom.benchmarks.translation import engine_of  # noqa: PLC0415

        return engine_of(question.database)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the files' contents, in order: two copies that differ are two benchmarks."""
        whole = hashlib.sha256()
        for file in self.files:
            with file.open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
        return whole.hexdigest()

    def examples(self, database_name: str | None = None) -> Iterator[SolvedExample]:
        """Solved examples from the training split; none where there is no such split.

        Of one database only where `database_name` says so. A question of this split is never among them,
        unless this split is the training split itself.
        """
        if self.read_training is None:
            return
        for question in self.read_training():
            if question.gold and (database_name is None or question.database_name == database_name):
                yield SolvedExample(
                    question.text,
                    question.gold[0],
                    evidence=question.evidence,
                    source=question.id,
                    database=question.database_name,
                )

    def schemas(self) -> Mapping[str, Schema]:
        """The schemas published beside the questions, by database name; empty where there are none."""
        return self.read_schemas() if self.read_schemas else {}

    def packs(self, database_name: str) -> tuple[Path, ...]:
        """Files and folders that describe a database, to load as knowledge packs."""
        return self.find_packs(database_name) if self.find_packs else ()
