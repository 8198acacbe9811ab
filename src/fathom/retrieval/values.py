"""The value index: which values of a database the words of a question name."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self

from rapidfuzz import fuzz

from fathom.databases import Database
from fathom.errors import FathomError
from fathom.retrieval import alignment, store
from fathom.retrieval.alignment import Fit, Spelling
from fathom.retrieval.index_files import Progress, dear_tables, kept, open_or_build
from fathom.retrieval.keys import key
from fathom.retrieval.matches import IndexedColumn, MatchKind, ValueMatch, ValueMention
from fathom.retrieval.rare_values import RareValues, named_phrases
from fathom.retrieval.typos import correctable, similarity, wanted
from fathom.text.dictionary import SHORTEST
from fathom.text.english import STOP_WORDS
from fathom.text.words import Token, tokens, words

_LONGEST_NAME = 12  # words of a question that are looked up as one value
_QUESTION = 8_000  # characters of a question that are read
_COMMON = 20_000  # values; a word held by more is looked up only together with a rarer one
_ALONE = 20  # values looked at for a single word
_TOGETHER = 40  # values looked at for two or more neighbouring words
_NEAR = 400  # words compared for one misspelling
_SPELLINGS = 4  # other spellings followed for one word


class IndexDamaged(FathomError):
    """The index's file can't be read; it has been removed, so that the next start builds it anew."""

    def __init__(self, file: Path, problem: str) -> None:
        self.file, self.problem = file, problem
        super().__init__(f"The value index {file} was damaged ({problem}) and is removed. Ask again.")


class ValueIndex:
    """An index over the text values of a database, open for look-ups; safe to share between threads."""

    def __init__(self, connection: sqlite3.Connection, file: Path | None = None) -> None:
        self._db = connection
        self._file = file
        self._lock = Lock()
        self._rare: RareValues | None = None
        self._places = {
            id_: (table, column) for id_, table, column in self._rows("SELECT id, tab, col FROM place")
        }

    @classmethod
    def build(cls, values: Iterable[tuple[str, str, str, int]], file: Path | None = None) -> Self:
        """Index (table, column, value, count), each value of a column once; in memory without a file."""
        if file is not None:
            with store.replacement(file, fresh=True) as connection, store.Writer(connection) as writer:
                writer.add(values)
            return cls(store.read(file), file)
        connection = store.create()
        with store.Writer(connection) as writer:
            writer.add(values)
        return cls(connection)

    @classmethod
    def open_or_build(
        cls,
        database: Database,
        cache: Path | None,
        *,
        progress: Progress | None = None,
        rebuild: bool = False,
        refresh: bool = True,
        must_be_kept: bool = False,
    ) -> Self:
        """The index of a database as its data are now, from the cache folder where it is up to date.

        Tables whose text changed are indexed again; `rebuild` indexes all, `refresh=False` takes an index
        that is there as it is. Without a cache folder, or with one that can't be written to, the index is
        built in memory; `must_be_kept` raises `ConfigError` for the latter.

        What a text names exactly is also looked for in the database, where tables are too big to be indexed
        whole.
        """
        found = open_or_build(
            database, cache, progress, rebuild=rebuild, refresh=refresh, must_be_kept=must_be_kept
        )
        index = cls(*found)
        if database.indexes_values and (sampled := dear_tables(database)):
            index._rare = RareValues.of(database, sampled, index.columns)
        return index

    @classmethod
    def kept(cls, database: Database, cache: Path) -> Self | None:
        """The index of a database as it was kept last; None where none was. Nothing is built or looked at."""
        file, connection = kept(database, cache)
        return None if connection is None else cls(connection, file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index; look-ups fail from here on."""
        with self._lock:
            self._db.close()

    @property
    def columns(self) -> tuple[IndexedColumn, ...]:
        """The columns that the index covers."""
        rows = self._rows("SELECT tab, col, held, left_out FROM place ORDER BY id")
        return tuple(IndexedColumn(*row) for row in rows)

    def lookup(self, phrase: str, *, limit: int = 10) -> list[ValueMatch]:
        """The values that a phrase names as a whole or in part, best first."""
        letters = max(1, len(phrase.strip()))
        best: dict[tuple[str, str, str], ValueMatch] = {}
        for mention in self.mentions(phrase, limit=limit):
            share = min(1.0, len(mention.text) / letters)
            for match in mention.matches:
                name = (match.table, match.column, match.value)
                scored = ValueMatch(
                    *name,
                    match.count,
                    match.kind,
                    match.score * share,
                    match.coverage,
                    match.similarity,
                )
                if name not in best or best[name].score < scored.score:
                    best[name] = scored
        return sorted(best.values(), key=_rank)[:limit]

    def by_column(
        self, phrase: str, *, each: int = 10, columns: Container[tuple[str, str]] | None = None
    ) -> list[ValueMatch]:
        """The values spelt most like a phrase, up to `each` of every column, or of `columns`, best first.

        They share a word with it, misspelt or begun alike. Unlike in `lookup` no column's values crowd out
        another's. `score` is the share of letters that needn't be changed.
        """
        found = tokens(phrase[:_QUESTION])
        _, near = self._spellings(found, set())
        naming = [of for of, t in zip(near, found, strict=True) if t.stem not in STOP_WORDS] or near
        terms = dict.fromkeys(term for of in naming for term in of)
        places = {i for i, place in self._places.items() if columns is None or place in columns}
        rows = {row[0]: row[1:] for _, row in self._whole(phrase, found) if row[1] in places}
        for id_, place, text, count in self._sharing(terms, places):
            rows[id_] = place, text, count
        alike: dict[int, list[ValueMatch]] = defaultdict(list)
        for place, text, count in rows.values():
            score = fuzz.ratio(text.casefold(), phrase.casefold()) / 100
            kind: MatchKind = "exact" if text == phrase else "folded" if score == 1 else "partial"
            alike[place].append(ValueMatch(*self._places[place], text, count, kind, score))
        kept = (match for of in alike.values() for match in sorted(of, key=_rank)[:each])
        return sorted(kept, key=_rank)

    def _sharing(self, terms: Iterable[str], places: Iterable[int]) -> list[tuple[int, int, str, int]]:
        """The values of some columns that hold any of these words."""
        if not (any_of := _any_of(terms)):
            return []
        sql = (
            "SELECT value.id, place, text, count FROM word JOIN value ON value.id = word.rowid "
            "WHERE word MATCH ? AND place IN (SELECT value FROM json_each(?)) LIMIT ?"
        )
        return self._rows(sql, any_of, json.dumps(sorted(places)), _COMMON)

    def beginning(self, letters: str, *, limit: int = 10) -> list[str]:
        """Values with a word that begins with these letters, whole beginnings first."""
        begun = letters.casefold()
        if not begun.isalnum():
            return []
        rows = self._rows(
            "SELECT DISTINCT text FROM value WHERE id IN (SELECT rowid FROM word WHERE word MATCH ? LIMIT ?)",
            f'"{begun}"*',
            _NEAR,
        )
        found = [t for (t,) in rows if any(w.startswith(begun) for w in t.casefold().split())]
        return sorted(found, key=lambda t: (not t.casefold().startswith(begun), len(t), t))[:limit]

    def mentions(self, question: str, *, limit: int = 10) -> list[ValueMention]:
        """All values that a question names: longest mention first, overlapping ones kept.

        `limit` bounds the matches of each mention. Reads the first 8,000 characters of a question.
        """
        question = question[:_QUESTION]
        found = tokens(question)
        fits: dict[tuple[int, int], dict[int, Fit]] = defaultdict(dict)
        rows: dict[int, tuple[int, str, int]] = {}  # value id: place, text, count
        settled: set[int] = set()
        for fit, row in self._whole(question, found):
            fits[fit.first, fit.last][row[0]] = fit
            rows[row[0]] = row[1:]
            if fit.score > 0.5:
                settled.update(range(fit.first, fit.last))
        spellings, near = self._spellings(found, settled)
        for row in self._candidates(found, near):
            rows[row[0]] = row[1:]
            for fit in alignment.parts(found, spellings, words(row[2])):
                known = fits[fit.first, fit.last].get(row[0])
                if known is None or known.score < fit.score:
                    fits[fit.first, fit.last][row[0]] = fit
        mentions = [
            _mention(question, found, span, [self._match(rows[id_], f) for id_, f in of.items()], limit)
            for span, of in fits.items()
        ]
        mentions += self._symbols(question, limit)
        if self._rare is not None:
            mentions = self._with_rare(self._rare, question, found, mentions)
        return sorted(mentions, key=lambda m: (m.start - m.end, -m.matches[0].score, m.start))

    def _with_rare(
        self, rare: RareValues, question: str, found: Sequence[Token], mentions: Sequence[ValueMention]
    ) -> list[ValueMention]:
        """The mentions with those of values that the database alone holds."""
        known = {(m.start, m.end) for m in mentions if m.matches[0].kind in ("exact", "folded")}
        phrases = [p for p in named_phrases(question) if (p.start, p.end) not in known]
        more: dict[tuple[int, int], ValueMention] = {}
        for phrase, places in rare.look_up(phrases):
            covered = [i for i, t in enumerate(found) if phrase.start <= t.start and t.end <= phrase.end]
            if covered:
                span = phrase.start, phrase.end
                matches = tuple(ValueMatch(*place, phrase.text, 1, "exact", 1.0) for place in places)
                more[span] = ValueMention(phrase.text, *span, covered[0], covered[-1] + 1, matches)
        return [*(m for m in mentions if (m.start, m.end) not in more), *more.values()]

    def _whole(
        self, question: str, found: Sequence[Token]
    ) -> Iterable[tuple[Fit, tuple[int, int, str, int]]]:
        """Values whose letters are all there, of stretches of up to `_LONGEST_NAME` words."""
        spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
        stems = [t.stem for t in found]
        for first in range(len(found)):
            for last in range(first + 1, min(first + _LONGEST_NAME, len(found)) + 1):
                spans[key(stems[first:last])].append((first, last))
        for id_, place, text, count, of in self._by_key(spans):
            for first, last in spans[of]:
                if fit := alignment.whole(question, found, first, last, text):
                    yield fit, (id_, place, text, count)

    def _symbols(self, question: str, limit: int) -> Iterable[ValueMention]:
        """Values without a word, such as '+' or '--', where they stand alone."""
        pieces: dict[str, int] = {}
        start = 0
        for piece in question.split():
            start = question.index(piece, start)
            if not words(piece):
                pieces.setdefault(piece, start)
                pieces.setdefault(piece.strip("'\""), start + piece.index(piece.strip("'\"")))
            start += len(piece)
        if len(pieces) > 1 and not words(question):
            pieces[question.strip()] = question.index(question.strip())
        for text, at in pieces.items():
            rows = [r for r in self._by_key([key([text])]) if r[2].strip() == text]
            if rows:
                matches = [self._match(r[1:4], Fit(0, 0, "exact", 1.0)) for r in rows]
                yield ValueMention(text, at, at + len(text), 0, 0, tuple(sorted(matches, key=_rank)[:limit]))

    def _spellings(
        self, found: Sequence[Token], settled: set[int]
    ) -> tuple[dict[str, list[Spelling]], list[dict[str, int]]]:
        """Where each word of the index may stand; for each place its words, and how many values hold each."""
        held = dict(
            self._rows(
                "SELECT term, held FROM term WHERE term IN (SELECT value FROM json_each(?))",
                json.dumps([t.stem for t in found]),
            )
        )
        spellings: dict[str, list[Spelling]] = defaultdict(list)
        near: list[dict[str, int]] = []
        other: dict[str, list[tuple[str, int, float, float]]] = {}
        for place, token in enumerate(found):
            of: dict[str, int] = {}
            if token.stem in held:
                of[token.stem] = held[token.stem]
                spellings[token.stem].append(Spelling(place))
            if place not in settled and token.stem not in STOP_WORDS and correctable(token.stem):
                if token.stem not in other:
                    other[token.stem] = self._misspelt(token.stem)
                    if token.stem not in held:
                        other[token.stem] += self._beginning(token.stem)
                for term, count, alike, share in other[token.stem]:
                    of.setdefault(term, count)
                    spellings[term].append(Spelling(place, alike, share))
            near.append(of)
        return spellings, near

    def _misspelt(self, word: str) -> list[tuple[str, int, float, float]]:
        """Words of the index spelt nearly like this one: (word, values that hold it, similarity, 1)."""
        rows = self._rows(
            "SELECT term, held FROM term WHERE id IN (SELECT rowid FROM near WHERE near MATCH ? LIMIT ?)",
            _any_of(wanted(word)),
            _NEAR,
        )
        alike = [(t, held, s, 1.0) for t, held in rows if t != word and (s := similarity(word, t))]
        return sorted(alike, key=lambda a: (-a[2], -a[1], a[0]))[:_SPELLINGS]

    def _beginning(self, word: str) -> list[tuple[str, int, float, float]]:
        """Words of the index that begin with this one, or that it begins with ("successful", 'Success'):
        (word, values that hold it, 1, share of letters)."""
        longer = self._rows(
            "SELECT term, held FROM term WHERE term > ? AND term < ? ORDER BY term LIMIT ?",
            word,
            word + "\U0010ffff",
            _NEAR,
        )
        shorter = self._rows(
            "SELECT term, held FROM term WHERE term IN (SELECT value FROM json_each(?))",
            json.dumps([word[:n] for n in range(max(SHORTEST, len(word) // 2 + 1), len(word))]),
        )
        found = [(t, held, 1.0, len(word) / len(t)) for t, held in longer if 2 * len(word) >= len(t)]
        found += [(t, held, 1.0, len(t) / len(word)) for t, held in shorter]
        return sorted(found, key=lambda a: (-a[3], -a[1], a[0]))[:_SPELLINGS]

    def _candidates(
        self, found: Sequence[Token], near: Sequence[dict[str, int]]
    ) -> Iterable[tuple[int, int, str, int]]:
        """Values that hold a word of the question, or several neighbouring ones where one is too common."""
        naming = [p for p, t in enumerate(found) if near[p] and t.stem not in STOP_WORDS]
        ids: set[int] = set()
        for at, place in enumerate(naming):
            queries = [place]
            rest = iter(naming[at + 1 :])
            complete = self._holding([near[place]], ids, _ALONE)
            while not complete and len(queries) < 4:
                following = next(rest, None)
                if following is None or following - queries[-1] > 3:
                    break
                queries.append(following)
                complete = self._holding([near[p] for p in queries], ids, _TOGETHER)
        return self._rows(
            "SELECT id, place, text, count FROM value WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(ids)),
        )

    def _holding(self, choices: Sequence[dict[str, int]], ids: set[int], limit: int) -> bool:
        """Add values that hold a word of each choice; whether these were all such values."""
        if min(sum(c.values()) for c in choices) > _COMMON:
            return False
        sql = "SELECT rowid FROM word WHERE word MATCH ? LIMIT ?"
        rows = self._rows(sql, " AND ".join(f"({_any_of(c)})" for c in choices), limit)
        ids.update(id_ for (id_,) in rows)
        return len(rows) < limit

    def _by_key(self, keys: Iterable[int]) -> list[tuple[int, int, str, int, int]]:
        return self._rows(
            "SELECT id, place, text, count, key FROM value WHERE key IN (SELECT value FROM json_each(?))",
            json.dumps(list(keys)),
        )

    def _match(self, row: tuple[int, str, int], fit: Fit) -> ValueMatch:
        table, column = self._places[row[0]]
        return ValueMatch(
            table, column, row[1], row[2], fit.kind, round(fit.score, 4), fit.coverage, fit.similarity
        )

    def _rows(self, sql: str, *parameters: object) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:
            if self._file is None or isinstance(error, sqlite3.ProgrammingError):
                raise
            self._file.unlink(missing_ok=True)
            raise IndexDamaged(self._file, str(error)) from error


def _mention(
    question: str, found: Sequence[Token], span: tuple[int, int], matches: list[ValueMatch], limit: int
) -> ValueMention:
    first, last = span
    start, end = found[first].start, found[last - 1].end
    return ValueMention(
        question[start:end], start, end, first, last, tuple(sorted(matches, key=_rank)[:limit])
    )


def _rank(match: ValueMatch) -> tuple[float, int, int, str, str, str]:
    return (-match.score, -match.count, len(match.value), match.table, match.column, match.value)


def _any_of(terms: Iterable[str]) -> str:
    """A full-text query for any of these words; they hold letters and digits only, so quoting is complete."""
    return " OR ".join(f'"{t}"' for t in terms)
