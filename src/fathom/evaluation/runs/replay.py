"""Runs of systems that Fathom never ran: prediction files, asked question by question like any method."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.errors import ConfigError, InputError
from fathom.evaluation.runs.imported_prices import CACHED_SHARE, Pricing, prices_of
from fathom.evaluation.runs.response import Response
from fathom.evaluation.scoring.predictions import folded, grouped_records
from fathom.evaluation.scoring.question_pairs import Lookup, rule_for
from fathom.records import Question, Selection, Step, Trace, Usage
from fathom.records.trace import Module

Records = list[dict[str, Any]]
_MODULES: Mapping[str, Module] = {
    "schema_selection": "selection",
    "schema_extraction": "selection",
    "candidate_generation": "generation",
    "query_revision": "revision",
    "revision": "revision",
}


def replay(
    benchmark: Benchmark,
    final: Path,
    *,
    before: Path | None = None,
    price_as: str | None = None,
    cached_share: float = CACHED_SHARE,
) -> Callable[[Question], Response]:
    """Answer each question with what a file of predictions holds for it; None found is an empty answer.

    `final` may be in any form that `fathom score` reads; a folder of NL2SQLBench records also gives its
    selections, candidates and usage. `before` holds the queries that entered the last module, and makes
    that module a revision. `price_as` prices tokens as those of a model, `provider:name`, of whose prompts a
    `cached_share` was cached. Raises `InputError` for a file that can't be read or whose records fit no
    question, `ConfigError` for a model without a known price or predictions that tell no tokens.
    """
    pricing = prices_of(price_as, cached_share) if price_as else None
    found = _records(benchmark, final, pricing) if final.is_dir() else _queries(benchmark, final)
    if pricing and not any(response.measured for response in found.values()):
        raise ConfigError(
            f"{final} tells no tokens to price as those of {price_as!r}: leave out --price-as, or name a "
            "folder of NL2SQLBench records."
        )
    earlier = _queries(benchmark, before) if before else {}

    def answer(question: Question) -> Response:
        response = found.get(question.id, Response(None, declined=True, measured=False, timed=False))
        if before is None:
            return response
        entered = earlier.get(question.id)
        return Response(
            response.sql,
            candidates=entered.candidates if entered else (),
            before_revision=entered.sql if entered else None,
            revised=True,
            measured=False,
            timed=False,
        )

    return answer


def _queries(benchmark: Benchmark, file: Path) -> dict[str, Response]:
    lookup = Lookup(file, rule_for(benchmark, file))
    found = {}
    for position, question in benchmark.numbered():
        prediction = lookup.find(question, position)
        if prediction is not None and prediction.candidates:
            candidates = tuple(benchmark.as_run(sql, question) for sql in prediction.candidates)
            several = candidates if len(candidates) > 1 else ()
            found[question.id] = Response(candidates[0], candidates=several, measured=False, timed=False)
    return found


def _records(benchmark: Benchmark, folder: Path, pricing: Pricing | None) -> dict[str, Response]:
    """NL2SQLBench: files of records, one a module, with the paper's names of fields or its code's.

    Records belong to the question that they name by its id, else by its text and database, else by the name
    of their file.
    """
    by_id: dict[str, Records] = {}
    by_text: dict[str, list[Records]] = {}
    by_file: dict[str, Records] = {}
    for stem, records in _read(folder):
        for (identifier, text), own in grouped_records(records).items():
            if identifier:
                by_id.setdefault(identifier, []).extend(own)
            elif text:
                by_text.setdefault(folded(text), []).append(own)
            else:
                by_file.setdefault(stem, []).extend(own)
    found = {}
    for _, question in benchmark.numbered():
        same = [own for own in by_text.get(folded(question.text), []) if _about(own, question)]
        records = by_id.get(question.id) or next(iter(same), []) or by_file.get(question.id, [])
        if records:
            found[question.id] = _response(records, pricing)
    if not found:
        raise InputError(f"holds no record of a question of {benchmark.name}", file=folder)
    return found


def _about(records: Records, question: BenchmarkQuestion) -> bool:
    """True if records are about a question's database, as far as they say."""
    return all(str(r.get("db_id") or "") in ("", question.database_name) for r in records)


def _read(folder: Path) -> Iterator[tuple[str, Records]]:
    for file in sorted(folder.rglob("*.json")):
        try:
            content = json.loads(file.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError):  # one question lost; scoring tells which one has no prediction
            continue
        records = content if isinstance(content, list) else [content]
        yield file.stem, [record for record in records if isinstance(record, dict)]


def _response(records: Records, pricing: Pricing | None) -> Response:
    by_module = {_MODULES[n]: r for r in records if (n := str(r.get("node_type"))) in _MODULES}
    used = {m: _usage(r, pricing) for m, r in by_module.items()}
    candidates = _sql(by_module.get("generation", {}))
    revised = _sql(by_module.get("revision", {}))
    first = candidates[0] if candidates else None
    measured = all(_is_measured(r) for r in by_module.values()) and bool(by_module)
    # A revision that gives nothing is an error of that module, not a query that it left alone.
    final = next(iter(revised), None) if "revision" in by_module else first
    return Response(
        final,
        candidates=candidates,
        before_revision=first,
        revised="revision" in by_module,
        selection=_selection(by_module["selection"]) if "selection" in by_module else None,
        trace=Trace(tuple(Step(m, m, usage=of) for m, of in used.items())),
        measured=measured,
        timed=False,
        price_range=_price_range(used.values(), pricing),
    )


def _price_range(used: Iterable[Usage], pricing: Pricing | None) -> tuple[float, float] | None:
    """Give what modules cost at least and at most, where the tokens of one are told as a total alone."""
    each = list(used)
    if pricing is None or not any(one.unsplit_tokens for one in each):
        return None
    bounds = [pricing.bounds(one) if one.cost_usd is None else (one.cost_usd,) * 2 for one in each]
    least, most = (float(sum(ends)) for ends in zip(*bounds, strict=True))
    return least, most


def _sql(record: Mapping[str, Any]) -> tuple[str, ...]:
    value = record.get("SQL", record.get("PREDICTED_SQL"))
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(v for v in listed if isinstance(v, str) and v.strip())


def _selection(record: Mapping[str, Any]) -> Selection:
    """Read a selection record; an unreadable one selects nothing and so recalls nothing."""
    value = record.get("extracted_schema")
    tables = value if isinstance(value, dict) else {}
    return Selection({str(t): tuple(map(str, c)) for t, c in tables.items() if isinstance(c, list)})


def _is_measured(record: Mapping[str, Any]) -> bool:
    return any(name in record for name in ("token_cost", "prompt_tokens", "total_tokens"))


def _usage(record: Mapping[str, Any], pricing: Pricing | None) -> Usage:
    """Read a module's usage; a total of tokens alone stays one."""

    def number(*names: str) -> int | None:
        return next((int(record[n]) for n in names if isinstance(record.get(n), int | float)), None)

    total = number("token_cost", "total_tokens") or 0
    prompt, completion = number("prompt_tokens"), number("completion_tokens")
    split = prompt is not None or completion is not None
    if split and prompt is None:
        prompt = max(total - (completion or 0), 0)
    if split and completion is None:
        completion = max(total - (prompt or 0), 0)
    cost = record.get("cost_usd")
    used = Usage(
        calls=number("llm_calls", "call_llm_times") or 0,
        prompt_tokens=prompt or 0,
        completion_tokens=completion or 0,
        unsplit_tokens=0 if split else total,
        cost_usd=Decimal(str(cost)) if isinstance(cost, int | float) else None,
    )
    return used if pricing is None or used.cost_usd is not None else pricing.priced(used)
