"""Reads the files of questions in `asked`, strictly: no slip of a writer may leave a question untested."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from re import Match, sub
from typing import Any

import yaml

ASKED = Path(__file__).with_name("asked")
NOWHERE = "no database"
TODAY = date.today()  # once, for a run may last beyond midnight


class Misread(ValueError):
    """A file of questions that says what it can't say; the text names the file and the place."""


@dataclass(frozen=True)
class Given:
    """A database: by its `name` among the shared ones, or as its file makes it in an `engine`."""

    file: str
    name: str
    statements: tuple[str, ...] = ()
    engine: str = "sqlite"


@dataclass(frozen=True)
class Case:
    """A question, and each thing that is expected of it."""

    name: str
    question: str
    given: Given | None
    expected: Mapping[str, Any]

    @property
    def subject(self) -> str:
        """The name of the file."""
        return self.name.partition(":")[0]


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) for row in value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _queries(value: Any) -> bool:
    by_check = value.values() if isinstance(value, dict) else [value]
    return all(_text(queries) or _texts(queries) for queries in by_check)


def _change(value: Any) -> bool:
    named = isinstance(value, dict) and {"by", "from"} <= value.keys() <= {"by", "from", "to"}
    return named and all(map(_text, value.values()))


EXPECTED: Mapping[str, Callable[[Any], bool]] = {
    "rows": _rows,
    "rows in order": _rows,
    "first column": lambda value: isinstance(value, list),
    "first column in order": lambda value: isinstance(value, list),
    "rows or declined": _rows,
    "guess": _rows,
    "same as": _text,
    "answered": lambda value: value is True,
    "declined": lambda value: value is True or _texts(value),
    "told": _texts,
    "not told": _texts,
    "by": _text,
    "not by": _text,
    "confidence": lambda value: isinstance(value, float),
    "sql": _texts,
    "not sql": _texts,
    "plain": _text,
    "said": _text,
    "in full": _text,
    "barred": _queries,
    "passed": _queries,
    "completed": _change,
    "followed": _rows,
    "followed in order": _rows,
    "unread": _texts,
}
"""Everything that can be expected of a question, and how it is written."""
ASIDE: Mapping[str, Callable[[Any], bool]] = {"evidence": _text, "after": _text}
ALONE: Mapping[str, Any] = {"answered": True, "declined": True}
STAYS = {"plain", "said", "in full"}
"""What a list of questions under these words means: each of them stays as it is."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Says where a question stands twice, of which YAML would forget one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key) for key, _ in node.value]
        if twice := [k for k in keys if keys.count(k) > 1]:
            raise Misread(f"line {node.start_mark.line + 1}: {twice[0]!r} stands twice")
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return found


def cases(folder: Path = ASKED) -> list[Case]:
    """The cases of all files."""
    return [case for file in sorted(folder.glob("*.yaml")) for case in read(file)]


@lru_cache
def read(file: Path) -> tuple[Case, ...]:
    """The cases of a file. Raises `Misread`, which names the file."""
    try:
        return tuple(_read(file))
    except Misread as error:
        raise Misread(f"{file.name}: {error}") from None


def databases(file: Path) -> dict[str, list[Given]]:
    """The databases of a file by their names, each in all its engines."""
    return _given(file.stem, _written(file).get("databases", {}))


def _read(file: Path) -> Iterator[Case]:
    written = _written(file)
    sections = {k: v for k, v in written.items() if k not in {"about", "databases"}}
    yield from _cases(file.stem, _given(file.stem, written.get("databases", {})), sections)


@lru_cache
def _written(file: Path) -> dict[str, Any]:
    written = yaml.load(file.read_text(encoding="utf-8"), _Loader)
    if not isinstance(written, dict) or not isinstance(written.get("about"), str):
        raise Misread("begins with no `about`, which says what the questions are about")
    return written


def _given(file: str, databases: dict[str, Any]) -> dict[str, list[Given]]:
    """Each database of a file in each of its engines."""
    found: dict[str, list[Given]] = {}
    for name, made in databases.items():
        how = made if isinstance(made, dict) else {"sql": made}
        if unknown := how.keys() - {"sql", "like", "engines"}:
            raise Misread(f"database {name!r} has {sorted(unknown)}, which says nothing")
        if not isinstance(how.get("sql"), str) or how.get("like", name) not in databases:
            raise Misread(f"database {name!r} needs `sql`, or is like none of this file")
        before = found[how["like"]][0].statements if "like" in how else ()
        engines = how.get("engines", ["sqlite"])
        if " " in how["sql"].strip():
            statements = (*before, *_statements(how["sql"]))
            found[name] = [Given(file, name, statements, engine) for engine in engines]
        else:
            found[name] = [Given("", how["sql"])]
    return found


def _statements(script: str) -> list[str]:
    parts = _dated(script).split(";\n")
    return [part.strip().removesuffix(";") for part in parts if part.strip()]


def _cases(file: str, given: dict[str, list[Given]], sections: dict[str, Any]) -> Iterator[Case]:
    used = {name for names in sections for name in names.split(", ")}
    if unknown := used - given.keys() - {NOWHERE}:
        raise Misread(f"asks of {sorted(unknown)}, which `databases` doesn't have")
    if unused := given.keys() - used:
        raise Misread(f"asks nothing of the database {sorted(unused)}")
    for names, headings in sections.items():
        for name in names.split(", "):
            for one in given.get(name, [None]):
                yield from _of_one(file, one, headings, several=", " in names)


def _of_one(file: str, given: Given | None, headings: dict[str, Any], several: bool) -> Iterator[Case]:
    """The cases of one database, which follow each other, so that it is made once."""
    apart = given and (several or given.engine != "sqlite")
    place = f" ({given.name}, {given.engine})" if given and apart else ""
    for heading, asked in headings.items():
        for question, expected in _questions(heading, asked):
            _check(f"{heading}: {question}", expected)
            yield Case(f"{file}: {heading}: {question}{place}", question, given, expected)


def _questions(heading: str, asked: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The questions under a heading, each with what is expected of it by name."""
    if not isinstance(asked, dict) or not asked:
        raise Misread(f"{heading}: holds no questions")
    aside = {word: asked[word] for word in ASIDE if word in asked}
    words = {word: listed for word, listed in asked.items() if word not in aside}
    if not words.keys() <= EXPECTED.keys():
        words = {None: words}
    for word, listed in words.items():
        questions = _alone(word, listed) if isinstance(listed, list) and word else listed
        if not isinstance(questions, dict):
            raise Misread(f"{heading}: holds no questions")
        for question, expected in questions.items():
            yield question, _dated({**aside, **(_named(expected) if word is None else {word: expected})})


def _alone(word: str, questions: list[str]) -> dict[str, Any]:
    """Questions of which the word above them says everything."""
    return {q: q if word in STAYS else ALONE.get(word) for q in questions}


def _named(expected: Any) -> dict[str, Any]:
    if isinstance(expected, list):
        return {"rows": expected}
    if isinstance(expected, str) and expected in ALONE:
        return {expected: True}
    return expected if isinstance(expected, dict) else {str(expected): None}


def _check(place: str, expected: dict[str, Any]) -> None:
    for word, value in expected.items():
        fits = EXPECTED.get(word) or ASIDE.get(word)
        if fits is None:
            raise Misread(f"{place}: nobody knows what {word!r} is")
        if not fits(value):
            raise Misread(f"{place}: {word!r} can't be {value!r}")
    if not expected.keys() & EXPECTED.keys():
        raise Misread(f"{place}: expects nothing")


def _dated(value: Any) -> Any:
    """A value with its days put in: `{3 days ago}`, and dates as their text."""
    if isinstance(value, str):
        return sub(r"\{(\d+) days ago\}", _day, value)
    if isinstance(value, list):
        return [_dated(v) for v in value]
    if isinstance(value, dict):
        return {k: _dated(v) for k, v in value.items()}
    return value


def _day(found: Match[str]) -> str:
    return str(TODAY - timedelta(days=int(found[1])))
