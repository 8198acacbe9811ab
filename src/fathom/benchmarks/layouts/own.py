"""Fathom's own format: a JSONL file, one question a line.

    {"id": "1", "question": "How many genes?", "database": "genes.sqlite", "gold": ["SELECT ..."]}

These four are required; `evidence`, `difficulty`, `tags`, `answerable` and `answer` (in words) are not.
`database` is a URL, a name from the settings, or a path relative to the file;
`gold` may be empty with `"answerable": false`. An ambiguous question has `readings`, two or more, each with
`text` and `sql`; those queries are accepted beside `gold`, which may then be left out.
What `fathom author` makes has `sql` for `gold`, or neither
where nobody knows it, and may have `category`, `complexity`, `template`, `tables`, `call`, `reviewed`, and
`figures`: a query whose rows an answer in words rests on, and which is no gold.
"""

from collections.abc import Iterator
from pathlib import Path

from fathom.benchmarks.record_files import Record, json_lines
from fathom.benchmarks.records import BenchmarkQuestion
from fathom.text import without_passwords

_FIELDS = {"id", "question", "database", "gold", "evidence", "difficulty", "tags", "answerable", "answer",
           "readings"}  # fmt: skip
_MADE = {"sql", "category", "complexity", "template", "tables", "call", "reviewed", "figures"}


def read_own(file: Path) -> Iterator[BenchmarkQuestion]:
    """The questions of a JSONL file. Raises `InputError` by file, line and field; ids may not repeat."""
    seen: set[int] = set()  # hashes: of a million questions the ids themselves would be most of the memory
    for record in json_lines(file):
        question = _question(record)
        found = hash(question.id)
        if found in seen:
            _check_is_new(question.id, record)
        seen.add(found)
        yield question


def _check_is_new(id_: str, record: Record) -> None:
    """Look for the id on the lines before, where its hash was seen."""
    for earlier in json_lines(record.file):
        if earlier.line >= record.line:
            return
        if str(earlier.content.get("id")) == id_:
            raise record.wrong(f"{id_!r} was used on line {earlier.line}", "id")


def _question(record: Record) -> BenchmarkQuestion:
    if unknown := sorted(set(record.content) - _FIELDS - _MADE):
        raise record.wrong(f"is unknown; there is: {', '.join(sorted(_FIELDS))}", unknown[0])
    id_ = record.content.get("id")
    if isinstance(id_, bool) or not isinstance(id_, (str, int)) or id_ == "":
        raise record.wrong("is missing; it must be text or a whole number", "id")
    answerable = record.content.get("answerable", True)
    if not isinstance(answerable, bool):
        raise record.wrong("must be true or false", "answerable")
    made = bool(_MADE & set(record.content))
    needed = not made and "readings" not in record.content
    gold = record.texts("sql" if made and "gold" not in record.content else "gold", required=needed)
    readings = _readings(record)
    gold = (*gold, *(sql for _, sql in readings if sql not in gold))
    if answerable and not made and not any(sql.strip() for sql in gold):
        raise record.wrong('is empty; an unanswerable question says "answerable": false', "gold")
    name = record.text("database")
    return BenchmarkQuestion(
        id=str(id_),
        text=record.text("question"),
        database=_database(name, record.file.parent),
        gold=tuple(sql for sql in gold if sql.strip()),
        evidence=record.optional("evidence"),
        difficulty=record.optional("difficulty", "complexity"),
        tags=(*record.texts("tags"), *record.texts("category"), *record.texts("template")),
        answerable=answerable,
        answer=record.optional("answer"),
        database_name=_shown(name),
        readings=readings,
    )


def _readings(record: Record) -> tuple[tuple[str, str], ...]:
    """The meanings of an ambiguous question, each with its query."""
    listed = record.content.get("readings")
    if listed is None:
        return ()
    wrong = record.wrong("must be a list of two or more, each with text and sql", "readings")
    if not isinstance(listed, list) or len(listed) < 2:
        raise wrong
    found = []
    for one in listed:
        told = (one.get("text"), one.get("sql")) if isinstance(one, dict) else (None, None)
        if not all(isinstance(part, str) and part.strip() for part in told):
            raise wrong
        found.append((str(told[0]).strip(), str(told[1]).strip()))
    return tuple(found)


def _shown(name: str) -> str:
    """The database's name in figures: never with a password, for they are kept and shared."""
    return without_passwords(name) if "://" in name or name.startswith("demo:") else Path(name).stem


def _database(name: str, folder: Path) -> str:
    if "://" in name or name.startswith("demo:"):
        return name
    beside = folder / name
    # A bare word without such a file is a name from the settings.
    return name if not beside.exists() and name.isidentifier() else str(beside)
