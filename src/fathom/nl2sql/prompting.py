"""The parts of asking that steps share: this package's prompts, the question with its evidence, parallel
calls."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from fathom.llm.prompts import fence, load
from fathom.methods import Context
from fathom.records import Question

T = TypeVar("T")


def prompt(name: str, **values: object) -> str:
    """A prompt of this package with its variables filled in. Raises `PromptError`."""
    return load(__package__, name).render(**values)


def section(intro: str, name: str, content: str) -> str:
    """Our own words with data under them, for a `text` variable of a prompt; "" where there is no content."""
    return f"{intro}\n\n{fence(name, content)}" if content.strip() else ""


def asked(question: Question) -> str:
    """The question's words, with its evidence on a line of its own where there is any."""
    return f"{question.text}\nEvidence: {question.evidence}" if question.evidence else question.text


def dialect_of(context: Context) -> str:
    """The dialect's name as people and models know it."""
    known = {
        "sqlite": "SQLite",
        "duckdb": "DuckDB",
        "postgres": "PostgreSQL",
        "mysql": "MySQL",
        "bigquery": "BigQuery",
        "trino": "Trino",
        "snowflake": "Snowflake",
        "spark": "Spark SQL",
        "databricks": "Databricks SQL",
    }
    return known.get(context.database.dialect, context.database.dialect)


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of several pieces of work, in order. The first error is raised once all have ended."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [r for r in results if not isinstance(r, BaseException)]
