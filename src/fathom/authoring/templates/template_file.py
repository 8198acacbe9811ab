"""A file of templates: questions and queries with the same slots, where slots are filled from, what is held.

    dialect: duckdb
    id_column: UUID                  # selected by every query that doesn't count or calculate
    limit: 100                       # of every query that gives rows, unless it orders them for another
    categories:                      # what a query is about, told by what it reads
      Effect: {columns: [b, b_SMR]}
      GWAS Significance: {conditions: ["p < 5e-8"]}
      Metadata: {otherwise: true}    # where no other category holds
    domains:                         # what fills the slots: a query whose columns they are, or values
      variant: {query: "SELECT SNP AS snp FROM gwas"}
      gene: {query: "SELECT genes AS gene FROM pathway", split: ";"}   # several in a cell
      most: {slot: most, values: [3, 5, 10]}
    templates:
      - id: effect-of-variant
        domains: [variant]
        questions: ["What is the effect of {snp}?"]
        sql: SELECT UUID, SNP, b FROM gwas WHERE SNP = {snp} LIMIT 100
        answer: {none: "{snp} was not tested.", some: "Its effect is {first.b}."}
        sql_categories: [Select]
        categories: [Effect]
        reasoning: [missing context]
        context: "b is about the effect allele A1."

A slot stands for a whole literal in SQL. A column `x_said` of a domain holds the words for slot `x`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from fathom.errors import InputError, InputErrors, did_you_mean

SHIPPED = ("biomed",)
"""Files that come with Fathom, by name."""

SLOT = re.compile(r"\{([A-Za-z_]\w*(?:\.\w+)?)\}")
ANSWERS = ("none", "one", "some")


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that fill slots: the rows of a query, by its column names, or values of one slot.

    With `split` a query has one column, whose cells hold several values with that between them.
    """

    name: str
    query: str = ""
    slot: str = ""
    values: tuple[Any, ...] = ()
    split: str = ""


@dataclass(frozen=True, slots=True)
class QueryCategory:
    """The marks of a query's category: columns it reads, or conditions in it."""

    name: str
    columns: frozenset[str] = frozenset()
    conditions: tuple[str, ...] = ()
    otherwise: bool = False


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """One template. `context` is what the question leaves out and the query relies on."""

    id: str
    domains: tuple[str, ...]
    questions: tuple[str, ...]
    sql: str
    answer: Mapping[str, str]
    sql_categories: tuple[str, ...]
    categories: tuple[str, ...]
    reasoning: tuple[str, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """A file of templates as read; `digest` is of its text."""

    name: str
    description: str
    licence: str
    dialect: str
    id_column: str
    limit: int
    categories: tuple[QueryCategory, ...]
    domains: Mapping[str, Domain]
    templates: tuple[QuestionTemplate, ...]
    text: str = field(repr=False, default="")


def read_templates(name_or_path: str | Path) -> TemplateSet:
    """Read a file of templates, or one that ships. Raises `InputErrors` that name every problem found."""
    if str(name_or_path) in SHIPPED:
        held = files(__package__).joinpath(f"{name_or_path}.yaml")
        return _read(held.read_text(encoding="utf-8"), f"{name_or_path}.yaml")
    path = Path(name_or_path)
    try:
        return _read(path.read_text(encoding="utf-8"), str(path))
    except (OSError, ValueError) as error:
        hint = did_you_mean(str(name_or_path), SHIPPED)
        raise InputError(f"can't be read: {error}.{hint}", file=path) from None


def _read(text: str, file: str) -> TemplateSet:
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"is not YAML: {error}", file=file) from None
    if not isinstance(content, dict):
        raise InputError("must be a mapping with templates, domains and categories", file=file)
    found = _Problems(file)
    known = set(TemplateSet.__dataclass_fields__) - {"text"}
    for name in content.keys() - known:
        found.add(f"is unknown.{did_you_mean(str(name), sorted(known))}", str(name))
    domains = {n: _domain(n, d, found) for n, d in found.mapping(content, "domains").items()}
    categories = tuple(_category(n, c, found) for n, c in found.mapping(content, "categories").items())
    templates = tuple(_template(t, found) for t in found.list(content, "templates"))
    for name in {t.id for t in templates if sum(o.id == t.id for o in templates) > 1}:
        found.add(f"there are several templates {name!r}", "templates")
    if not templates:
        found.add("is missing: there are no templates", "templates")
    limit = content.get("limit", 100)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        found.add("must be a whole number from 1 on", "limit")
    found.stop()
    told = {n: str(content.get(n, "")) for n in ("description", "licence", "id_column")}
    return TemplateSet(
        name=str(content.get("name") or Path(file).stem),
        dialect=str(content.get("dialect", "duckdb")),
        limit=limit,
        categories=categories,
        domains=domains,
        templates=templates,
        text=text,
        **told,
    )


class _Problems:
    """The problems of a file, collected so that all are reported at once."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._all: list[InputError] = []

    def add(self, problem: str, field: str) -> None:
        self._all.append(InputError(problem, file=self._file, field=field))

    def stop(self) -> None:
        if self._all:
            raise InputErrors(self._all)

    def mapping(self, content: Mapping[str, Any], name: str) -> dict[str, Mapping[str, Any]]:
        """A mapping of mappings; what is no mapping is told and left out."""
        held = content.get(name, {})
        if not isinstance(held, dict):
            self.add("must be a mapping", name)
            return {}
        for key in [k for k, v in held.items() if not isinstance(v, dict)]:
            self.add("must be a mapping", f"{name}.{key}")
            held = {k: v for k, v in held.items() if k != key}
        return {str(k): v for k, v in held.items()}

    def list(self, content: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
        """A list of mappings."""
        held = content.get(name, [])
        if not isinstance(held, list) or not all(isinstance(v, dict) for v in held):
            self.add("must be a list of mappings", name)
            return ()
        return held

    def texts(self, content: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
        """A list of texts, or one text."""
        held = content.get(name, [])
        texts = [held] if isinstance(held, str) else held
        if not isinstance(texts, list) or not all(isinstance(v, str) for v in texts):
            self.add("must be a list of texts", f"{where}.{name}")
            return ()
        return tuple(texts)


def _domain(name: str, content: Mapping[str, Any], found: _Problems) -> Domain:
    query, values = content.get("query", ""), content.get("values", [])
    if bool(query) == bool(values) or not isinstance(query, str) or not isinstance(values, list):
        found.add("needs either a query or a list of values", f"domains.{name}")
        return Domain(name)
    plain: Callable[[Any], bool] = lambda v: isinstance(v, str | int | float) and not isinstance(v, bool)  # noqa: E731
    if not all(plain(v) or (isinstance(v, dict) and {"value", "said"} == set(v)) for v in values):
        found.add("holds a value that is neither text, a number, nor {value, said}", f"domains.{name}")
    slot = str(content.get("slot", name if values else ""))
    split = content.get("split", "")
    if not isinstance(split, str) or (split and values):
        found.add("is text, and goes with a query", f"domains.{name}.split")
        split = ""
    return Domain(name, query, slot, tuple(values), split)


def _category(name: str, content: Mapping[str, Any], found: _Problems) -> QueryCategory:
    where = f"categories.{name}"
    columns = frozenset(c.casefold() for c in found.texts(content, "columns", where))
    conditions = found.texts(content, "conditions", where)
    otherwise = content.get("otherwise") is True
    if not (columns or conditions or otherwise):
        found.add("needs columns, conditions or `otherwise: true`", where)
    return QueryCategory(name, columns, conditions, otherwise)


def _template(content: Mapping[str, Any], found: _Problems) -> QuestionTemplate:
    id_ = str(content.get("id") or "")
    where = f"templates.{id_ or '(without an id)'}"
    known = set(QuestionTemplate.__dataclass_fields__)
    for name in content.keys() - known:
        found.add(f"is unknown.{did_you_mean(str(name), sorted(known))}", f"{where}.{name}")
    if not re.fullmatch(r"[\w-]+", id_):
        found.add("needs an id of letters, digits and hyphens", where)
    sql, answer = content.get("sql", ""), content.get("answer", {})
    if not isinstance(sql, str) or not sql.strip():
        found.add("needs sql", where)
    if not isinstance(answer, dict) or not {"none", "some"} <= set(answer) <= set(ANSWERS):
        found.add("needs an answer for none and for some rows (and perhaps for one)", where)
        answer = {}
    questions = found.texts(content, "questions", where)
    if not questions:
        found.add("needs questions", where)
    return QuestionTemplate(
        id=id_,
        domains=found.texts(content, "domains", where),
        questions=questions,
        sql=" ".join(str(sql).split()),
        answer={str(k): str(v) for k, v in answer.items()},
        sql_categories=found.texts(content, "sql_categories", where),
        categories=found.texts(content, "categories", where),
        reasoning=found.texts(content, "reasoning", where),
        context=str(content.get("context") or ""),
    )
