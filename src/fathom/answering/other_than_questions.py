"""Texts that aren't one question in English: calls for help, SQL, several questions, another language."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sqlglot import exp

from fathom.answering.phrases import join_words
from fathom.databases.parsing import parsed
from fathom.records import Refusal, Schema
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural
from fathom.text.words import tokens

FEWEST = 2
"""Words of a language from which a text is taken to be in it: one alone may be a name."""
_MOST_TABLES = 6


def instead_of_question(text: str, schema: Schema) -> Refusal | None:
    """Say what to do instead, to whoever asks for help or types SQL; None for anything else."""
    plain = " ".join(token.folded for token in tokens(text))
    if plain in _words()["help"]:
        things = [plural(spoken(table.name)) for table in schema.tables[:_MOST_TABLES]]
        things += ["more"] if len(schema.tables) > _MOST_TABLES else []
        return Refusal(
            f"You can ask about {join_words(things)}: how many there are, which ones, when, and what "
            "their numbers come to, in total or on average."
        )
    if _is_sql(text, schema):
        return Refusal(
            "This is SQL. Run it with `fathom sql`, or on the page for SQL; here, ask in plain words."
        )
    return None


def why_not_read(text: str) -> Refusal | None:
    """Say why a question that wasn't understood can't be; None where nothing about it shows that.

    Of several questions in one, each is in `instead`.
    """
    if language := language_of(text):
        return Refusal(f"I read English only, and this looks like {language}. A language model may read it.")
    *parts, _ = text.split("?")
    asked = [f"{part.strip()}?" for part in parts if len(tokens(part)) > 1]
    if len(asked) > 1:
        return Refusal("These are several questions. Ask them one at a time.", instead=tuple(asked))
    return None


def language_of(text: str) -> str:
    """The language of a text, where its words show that it isn't English; else empty."""
    said = {token.folded for token in tokens(text)}
    words: Mapping[str, Any] = _words()
    found = {name: len(said & set(listed.split())) for name, listed in words["languages"].items()}
    name, count = max(found.items(), key=lambda item: item[1])
    english = len(said & set(words["english"]["words"].split()))
    return name if count >= FEWEST and count > english else ""


def _is_sql(text: str, schema: Schema) -> bool:
    """True if a text is a query over tables and columns that there are; “select all orders” is English."""
    if not text.lstrip("( ").casefold().startswith(("select ", "with ")):
        return False
    query = parsed(text.rstrip("; "), schema.dialect)
    if not isinstance(query, exp.Query):
        return False
    own = {cte.alias for cte in query.find_all(exp.CTE)}
    tables = [t.name for t in query.find_all(exp.Table)]
    known = {column.name.casefold() for table in schema.tables for column in table.columns}
    known |= {alias.alias.casefold() for alias in query.find_all(exp.Alias)}
    columns = [c.name.casefold() for c in query.find_all(exp.Column) if not isinstance(c.this, exp.Star)]
    return bool(tables) and all(t in own or t in schema for t in tables) and known.issuperset(columns)


@cache
def _words() -> Mapping[str, Any]:
    file = files(__package__) / "other_than_questions.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
