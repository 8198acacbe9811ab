"""The schema index: which tables and columns of a large database a question needs."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from rapidfuzz import process
from rapidfuzz.distance import OSA

from fathom.databases.join_graph import JoinGraph
from fathom.records import Schema
from fathom.retrieval.matches import ColumnMatch, TableMatch
from fathom.retrieval.names import parts, spelt_out
from fathom.retrieval.notes import Texts, comments_of, names_of, texts_of
from fathom.retrieval.typos import correctable
from fathom.text.english import STOP_WORDS
from fathom.text.words import words

if TYPE_CHECKING:  # packs are slow to import
    from fathom.knowledge import KnowledgePack

_LAYOUT = """
CREATE VIRTUAL TABLE tab USING fts5(name, columns, text, content='', tokenize='porter ascii');
CREATE VIRTUAL TABLE col USING fts5(name, text, content='', tokenize='porter ascii');
"""
# A table is most often asked for by its name, then by its columns', then by what is written about it.
_TABLES = "SELECT rowid, -bm25(tab, 6.0, 3.0, 1.5) FROM tab WHERE tab MATCH ?"
_COLUMNS = (
    "SELECT rowid, -bm25(col, 6.0, 2.0) FROM col "
    "WHERE col MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
)
_NEIGHBOURS = 0.25  # the share of its two best neighbours' scores that a table gets
_COLUMNS_SHOWN = 12
_QUESTION_WORDS = 300
_ALLOWED_EDITS = 1
_SPELLINGS = 3


class SchemaIndex:
    """An index over the names of a schema and what is known about them; safe to share between threads.

    `names` are other names of a table (column None) or a column, `texts` what is written about it.
    """

    def __init__(self, schema: Schema, *, names: Texts | None = None, texts: Texts | None = None) -> None:
        self._schema = schema
        self._lock = Lock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._columns = [(number, c.name) for number, t in enumerate(schema.tables) for c in t.columns]
        self._of_table: dict[int, list[int]] = defaultdict(list)
        for place, (number, _) in enumerate(self._columns):
            self._of_table[number].append(place)
        self._vocabulary: set[str] = set()
        self._fill(names or {}, texts or {})
        self._joins = JoinGraph.of(schema)
        self._numbers = {t.name: number for number, t in enumerate(schema.tables)}

    @classmethod
    def build(cls, schema: Schema, knowledge: "KnowledgePack | None" = None) -> Self:
        """Index a schema with its comments and the names, descriptions and synonyms of a knowledge pack."""
        if knowledge is None:
            return cls(schema, texts=comments_of(schema))
        return cls(schema, names=names_of(knowledge, schema), texts=texts_of(knowledge, schema))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index; look-ups fail from here on."""
        with self._lock:
            self._db.close()

    def tables(self, question: str, *, limit: int = 10, columns: bool = True) -> list[TableMatch]:
        """At most `limit` tables that a question names, best first, then those needed to join them.

        Each comes with up to 12 of its columns that the question names, and the keys that join it; without
        `columns`, which take most of the time, with the keys alone.
        """
        query = self._query(question)
        if not query:
            return []
        own = {number - 1: score for number, score in self._rows(_TABLES, query)}
        scores = {n: s + self._from_neighbours(n, own) for n, s in own.items()}
        chosen = sorted(scores, key=lambda n: (-scores[n], self._schema.tables[n].name))[:limit]
        tables = self._schema.tables
        between = self._joins.between([tables[n].name for n in chosen])
        joining = [self._numbers[name] for name in between]
        named = self._relevant(query, [*chosen, *joining]) if columns else {}
        keys = self._joins.keys([tables[n].name for n in (*chosen, *joining)])
        return [
            TableMatch(
                tables[n].name,
                round(scores.get(n, 0.0), 4) if n in chosen else 0.0,
                _with_keys(named.get(n, []), keys[tables[n].name]),
                joining=n not in chosen,
            )
            for n in [*chosen, *joining]
        ]

    def _fill(self, names: Texts, texts: Texts) -> None:
        tables = self._schema.tables
        split = {n: parts(n) for t in tables for n in (t.name, *(c.name for c in t.columns))}
        known = {w for found in split.values() for w in found}

        def named(name: str, others: Sequence[str]) -> list[str]:
            more = [spelt_out(words(o), known) for o in others]
            return self._noted([*spelt_out(split[name], known), *(w for found in more for w in found)])

        def told(about: Sequence[str]) -> list[str]:
            return self._noted([w for text in about for w in words(text)])

        self._db.executescript(_LAYOUT)
        self._db.execute("BEGIN")
        place = 0
        for number, table in enumerate(tables):
            own = named(table.name, names.get((table.name, None), ()))
            of_columns, about = [], told(texts.get((table.name, None), ()))
            for column in table.columns:
                name = named(column.name, names.get((table.name, column.name), ()))
                text = told(texts.get((table.name, column.name), ()))
                self._insert("col", place, name, text)
                of_columns += name
                about += text
                place += 1
            self._insert("tab", number, own, of_columns, about)
        self._db.execute("COMMIT")

    def _noted(self, found: list[str]) -> list[str]:
        self._vocabulary.update(found)
        return found

    def _insert(self, into: str, place: int, *fields: Iterable[str]) -> None:
        # A word counts once: that all columns begin with "emp" doesn't make a table the more about employees.
        texts = [" ".join(dict.fromkeys(field)) for field in fields]
        names, marks = {"tab": ("name, columns, text", "?, ?, ?"), "col": ("name, text", "?, ?")}[into]
        self._db.execute(f"INSERT INTO {into} (rowid, {names}) VALUES (?, {marks})", (place + 1, *texts))

    def _query(self, question: str) -> str:
        """A full-text query for the question's words as they are, misspelt, and written together."""
        asked = words(question[:8_000])[:_QUESTION_WORDS]
        naming = [w for w in asked if w not in STOP_WORDS]
        terms = dict.fromkeys(naming)
        terms.update(dict.fromkeys(a + b for a, b in pairwise(asked) if a + b in self._vocabulary))
        for word in dict.fromkeys(naming):
            if word not in self._vocabulary and correctable(word):
                terms.update(dict.fromkeys(self._misspelt(word)))
        return " OR ".join(f'"{t}"' for t in terms if "\u00b7" not in t)

    def _misspelt(self, word: str) -> list[str]:
        near = process.extract(
            word, self._vocabulary, scorer=OSA.distance, score_cutoff=_ALLOWED_EDITS, limit=_SPELLINGS
        )
        return [term for term, *_ in near]

    def _from_neighbours(self, number: int, scores: Mapping[int, float]) -> float:
        """Tables that a question needs together are joined, so a table gains by its neighbours."""
        joined = (self._numbers[name] for name in self._joins.joined(self._schema.tables[number].name))
        best = sorted((scores[n] for n in joined if n in scores), reverse=True)
        return _NEIGHBOURS * sum(best[:2])

    def _relevant(self, query: str, tables: Collection[int]) -> dict[int, list[ColumnMatch]]:
        places = [p + 1 for n in tables for p in self._of_table[n]]
        found: dict[int, list[ColumnMatch]] = defaultdict(list)
        for place, score in sorted(
            self._rows(_COLUMNS, query, json.dumps(places)), key=lambda r: (-r[1], r[0])
        ):
            number, name = self._columns[place - 1]
            found[number].append(ColumnMatch(name, round(score, 4)))
        return found

    def _rows(self, sql: str, *parameters: object) -> list[Any]:
        with self._lock:
            return self._db.execute(sql, parameters).fetchall()


def _with_keys(columns: Sequence[ColumnMatch], keys: Iterable[str]) -> tuple[ColumnMatch, ...]:
    shown = list(columns[:_COLUMNS_SHOWN])
    have = {c.column for c in shown}
    return (*shown, *(ColumnMatch(k, 0.0) for k in keys if k not in have))
