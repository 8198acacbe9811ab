"""Statistics of a benchmark: those that papers print of theirs, for any benchmark."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from sqlglot import exp

from fathom.authoring.biotool.dataset import DOMAINS, kind_of_endpoint
from fathom.authoring.publication import counted
from fathom.authoring.query_statistics import column_types, grams_of_queries, spreads, tokens_of
from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.benchmarks.calls import gold_call, is_of_calls
from fathom.biotools.catalogue import endpoints
from fathom.databases import connect
from fathom.errors import FathomError
from fathom.evaluation.categories import by_level, families
from fathom.evaluation.parsing import parsed
from fathom.evaluation.question_types import EVIDENCE_KINDS, QUESTION_TYPES, evidence_kinds, question_types
from fathom.records import Schema

MOST_NAMED = 20
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_FAMILIES: Mapping[str, tuple[type[exp.Expr], ...]] = {
    "window": (exp.Window,),
    "conversion": (exp.Cast, exp.TryCast),
    "date": (exp.TimeToStr, exp.StrToTime, exp.DateDiff, exp.DateAdd, exp.DateSub, exp.Extract, exp.Year,
             exp.Month, exp.Day, exp.CurrentDate, exp.CurrentTimestamp, exp.DateTrunc, exp.TsOrDsToDate,
             exp.Date, exp.UnixToTime),
    "math": (exp.Round, exp.Abs, exp.Ceil, exp.Floor, exp.Sqrt, exp.Pow, exp.Ln, exp.Log, exp.Exp),
    "string": (exp.Substring, exp.Concat, exp.Upper, exp.Lower, exp.Trim, exp.Length, exp.Replace,
               exp.StrPosition, exp.DPipe, exp.Left, exp.Right, exp.GroupConcat),
    "aggregate": (exp.AggFunc,),
}  # fmt: skip
_DATES = re.compile(r"^(strftime|date|datetime|julianday|time|to_char|date_format)$", re.IGNORECASE)


def describe(benchmark: Benchmark, *, with_databases: bool = True) -> dict[str, Any]:
    """The statistics of a benchmark as JSON values: `counts`, `means`, and `by`, counts of each grouping.

    Databases that can be opened are described too (tables, columns, rows), where `with_databases`. Raises
    `InputError` where the benchmark can't be read.
    """
    questions = list(benchmark)
    texts = [_words(q.text) for q in questions]
    counts: dict[str, int] = {
        "questions": len(questions),
        "answerable": sum(q.answerable for q in questions),
        "with gold": sum(bool(q.gold) for q in questions),
        "ambiguous, with readings": sum(bool(q.readings) for q in questions),
        "with evidence": sum(bool(q.evidence.strip()) for q in questions),
        "with an answer in words": sum(bool(q.answer.strip()) for q in questions),
    }
    counts |= {f"different {n}-grams of questions": len(_grams(texts, n)) for n in (1, 2, 3)}
    means = {"words of a question": _mean(len(t) for t in texts)}
    by = {
        "difficulty": _levels(questions),
        "database": counted(name for q in questions if (name := q.database_name or q.database)),
        **{family: _tagged(questions, names) for family, names in _tag_families(questions).items()},
    }
    if is_of_calls(benchmark):
        by |= _of_calls(questions)
    else:
        more_counts, more_means, more_by = _of_queries(questions)
        counts, means, by = counts | more_counts, means | more_means, by | more_by
        if with_databases:
            schemas = _schemas(questions)
            means |= _of_databases(schemas)
            by |= {"type of column": column_types(schemas)}
    return {
        "benchmark": benchmark.name,
        "split": benchmark.split,
        "digest": benchmark.digest,
        "counts": counts,
        "means": {name: value for name, value in means.items() if value is not None},
        "by": {grouping: found for grouping, found in by.items() if found},
    }


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _grams(texts: Sequence[Sequence[str]], n: int) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + n]) for words in texts for i in range(len(words) - n + 1)}


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _levels(questions: Sequence[BenchmarkQuestion]) -> dict[str, int]:
    found = Counter(q.difficulty for q in questions if q.difficulty)
    return {level: found[level] for level in by_level(found)}


def _tag_families(questions: Sequence[BenchmarkQuestion]) -> dict[str, list[str]]:
    return families(dict.fromkeys(tag for q in questions for tag in q.tags))


def _tagged(questions: Sequence[BenchmarkQuestion], names: Sequence[str]) -> dict[str, int]:
    found = Counter(tag for q in questions for tag in q.tags)
    return {name: found[name] for name in names}


def _of_calls(questions: Sequence[BenchmarkQuestion]) -> dict[str, dict[str, int]]:
    """BioTool's distributions, of the (last) gold call: service, kind of endpoint, domain, tool."""
    known = endpoints()
    found = [known[call.endpoint] for q in questions if (call := gold_call(q)).endpoint in known]
    return {
        "service": counted(e.provider for e in found),
        "domain": counted(DOMAINS[e.provider] for e in found),
        "kind of call": counted(kind_of_endpoint(e.name) for e in found),
        "tool": counted(e.tool for e in found),
        "endpoint": counted(e.name for e in found),
    }


def _of_queries(
    questions: Sequence[BenchmarkQuestion],
) -> tuple[dict[str, int], dict[str, float | None], dict[str, dict[str, int]]]:
    golds = [(q, q.gold[0]) for q in questions if q.gold]
    trees = [tree for _, sql in golds if (tree := parsed(sql)) is not None]
    types = Counter(name for q, sql in golds for name in question_types(sql, q.evidence))
    kinds = Counter(name for q, _ in golds for name in evidence_kinds(q.evidence))
    queries = [sql for _, sql in golds]
    counts = {"gold queries that parse": len(trees), **grams_of_queries(queries)} if golds else {}
    means = {
        "tokens of a gold query": _mean(len(tokens_of(sql)) for sql in queries),
        "tables of a gold query": _mean(len(list(t.find_all(exp.Table))) for t in trees),
        "joins of a gold query": _mean(len(list(t.find_all(exp.Join))) for t in trees),
        "gold queries of a question": _mean(len(q.gold) for q, _ in golds),
    }
    by = {
        "question type": {n: types[n] for n in QUESTION_TYPES if types[n]},
        "evidence kind": {n: kinds[n] for n in EVIDENCE_KINDS if kinds[n]},
        "function family": _functions(trees),
        "keyword": _keywords(trees),
        **spreads(queries, trees),
    }
    return counts, means, by


def _functions(trees: Sequence[exp.Expr]) -> dict[str, int]:
    """How many gold queries call a function of each family."""
    found: Counter[str] = Counter()
    for tree in trees:
        nodes = list(tree.find_all(exp.Func, exp.Window, exp.Cast, exp.DPipe))
        families_of = {f for f, kinds in _FAMILIES.items() if any(isinstance(n, kinds) for n in nodes)}
        if any(isinstance(n, exp.Anonymous) and _DATES.match(n.name) for n in nodes):
            families_of.add("date")
        found.update(families_of)
    return dict(found.most_common())


_CLAUSES: Mapping[str, type[exp.Expr]] = {
    "SELECT": exp.Select, "JOIN": exp.Join, "WHERE": exp.Where, "GROUP BY": exp.Group,
    "HAVING": exp.Having, "ORDER BY": exp.Order, "LIMIT": exp.Limit, "DISTINCT": exp.Distinct,
    "CASE": exp.Case, "WITH": exp.With, "UNION": exp.Union, "INTERSECT": exp.Intersect,
    "EXCEPT": exp.Except, "EXISTS": exp.Exists, "IN": exp.In, "LIKE": exp.Like, "BETWEEN": exp.Between,
}  # fmt: skip


def _keywords(trees: Sequence[exp.Expr]) -> dict[str, int]:
    """How many gold queries have each clause, anywhere."""
    found = {word: sum(tree.find(kind) is not None for tree in trees) for word, kind in _CLAUSES.items()}
    return {word: n for word, n in sorted(found.items(), key=lambda item: -item[1]) if n}


def _schemas(questions: Sequence[BenchmarkQuestion]) -> list[Schema]:
    """The schemas of the databases that can be opened."""
    schemas = []
    for url in dict.fromkeys(q.database for q in questions if q.database):
        try:
            with connect(url) as database:
                schemas.append(database.schema)
        except FathomError:
            continue
    return schemas


def _of_databases(schemas: Sequence[Schema]) -> dict[str, float | None]:
    """Tables, columns and rows of a database."""
    rows = [sum(t.row_count or 0 for t in s.tables) for s in schemas]
    return {
        "databases here": float(len(schemas)) if schemas else None,
        "tables of a database": _mean(len(s.tables) for s in schemas),
        "columns of a database": _mean(sum(len(t.columns) for t in s.tables) for s in schemas),
        "rows of a database": _mean(rows),
    }
