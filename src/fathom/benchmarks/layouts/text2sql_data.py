"""The text2sql-data collection (GeoQuery and others): one JSON file whose texts hold named placeholders."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.benchmarks.layouts.layout import Layout
from fathom.benchmarks.record_files import Record, json_records
from fathom.benchmarks.records import BenchmarkQuestion

_SPLITS = ("dev", "test", "train", "query-dev", "query-test", "query-train")


def _splits(folder: Path) -> Mapping[str, Path]:
    files = [file for file in sorted(folder.glob("*.json")) if _has_marks(file)]
    if len(files) != 1:
        return {}
    there: set[str] = set()
    for record in json_records(files[0]):
        there.add(f"query-{record.optional('query-split')}")
        there.update(sentence.optional("question-split") for sentence in _sentences(record))
    return dict.fromkeys(sorted(there & set(_SPLITS)), files[0]) | {"all": files[0]}


def _has_marks(file: Path) -> bool:
    with file.open(encoding="utf-8", errors="ignore") as stream:
        head = stream.read(20_000)
    return '"sentences"' in head and '"variables"' in head


def _read(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    """Split `train` is by question, `query-train` by query: questions of one query are never torn apart."""
    by_query = split.removeprefix("query-") if split.startswith("query-") else None
    database = next((f for f in sorted(folder.glob("*.sqlite"))), folder / f"{file.stem}.sqlite")
    for number, record in enumerate(json_records(file)):
        gold = record.texts("sql", required=True)
        if by_query is not None and record.optional("query-split") != by_query:
            continue
        for index, sentence in enumerate(_sentences(record)):
            if by_query is None and split not in ("all", sentence.optional("question-split")):
                continue
            values = _values(record, sentence)
            yield BenchmarkQuestion(
                id=f"{number}.{index}",
                text=_filled(sentence.text("text"), values),
                database=str(database),
                gold=tuple(_filled(sql, values) for sql in gold),
                database_name=record.optional("database") or database.stem,
                tags=(f"query-{record.optional('query-split')}",),
            )


def _sentences(record: Record) -> Sequence[Record]:
    found = record.content.get("sentences")
    if not isinstance(found, list) or not all(isinstance(s, dict) for s in found):
        raise record.wrong("must be a list of objects", "sentences")
    return [Record(record.file, record.line, sentence) for sentence in found]


def _values(record: Record, sentence: Record) -> dict[str, str]:
    """The values of the placeholders: the sentence's own values, else the query's examples."""
    declared: Any = record.content.get("variables") or []
    own: Any = sentence.content.get("variables") or {}
    if not isinstance(declared, list) or not isinstance(own, dict):
        raise record.wrong("must be a list of variables, and an object in each sentence", "variables")
    values = {v["name"]: str(v.get("example", "")) for v in declared if isinstance(v, dict) and "name" in v}
    return values | {name: str(value) for name, value in own.items()}


def _filled(text: str, values: Mapping[str, str]) -> str:
    if not values:
        return text
    # Longest names first, so that `state_name1` never fills the head of `state_name10`.
    names = re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))))
    return names.sub(lambda found: values[found.group()], text)


TEXT2SQL_DATA = Layout(
    name="text2sql-data",
    comparison="spider",
    needs="one JSON file in the text2sql-data format and its .sqlite file",
    splits=_splits,
    read=_read,
    preferred=("dev",),
)
