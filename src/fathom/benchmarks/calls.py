"""Benchmarks of tool questions: each with the call that answers it (arXiv 2605.05758).

Four forms are read, as a JSON array or as JSONL: plain pairs (`query`, `endpoint`, `arguments`), chains
(`query`, `calls`, a list of such pairs in order), BioTool's raw records (`user_query`, `function_calling`),
and its training records (`conversations`, the call a text).
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.benchmarks.record_files import Record, json_object, records
from fathom.benchmarks.records import Benchmark, BenchmarkQuestion
from fathom.errors import InputError, UnknownName
from fathom.records import SolvedCall

PREFIX = "biotool:"
COMPARISON = "observations"
SPLITS = ("all", "random", "unseen")
"""Every question; a fifth of the calls, at random; all questions of a fifth of the endpoints."""

SEED, TESTED = 42, 0.2
_FOUND = re.compile(r'"idlist":\s*\[([^\]]*)\]')


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as a benchmark, a method or a prediction file has it, unchecked."""

    endpoint: str
    arguments: Mapping[str, Any]

    def text(self) -> str:
        """The call as JSON; the same call gives the same text, whatever the order of its arguments."""
        kept = {k: v for k, v in self.arguments.items() if v is not None}
        return json.dumps({"name": self.endpoint, "arguments": kept}, ensure_ascii=False, sort_keys=True)

    @classmethod
    def read(cls, text: str) -> "ToolCall":
        """Read the output of `text`. Raises `ValueError` for anything else."""
        content = json.loads(text)
        if not isinstance(content, dict) or not isinstance(content.get("arguments"), dict):
            raise ValueError("not a call")  # noqa: TRY004, as JSON's own errors
        return cls(str(content["name"]), content["arguments"])


def chain_text(calls: Sequence[ToolCall]) -> str:
    """Calls in a row as JSON: one as `ToolCall.text` writes it, several as a list of such objects."""
    texts = [call.text() for call in calls]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def load_calls(name: str, split: str | None = None) -> Benchmark:
    """The benchmark `biotool:PATH`. Its gold is the call, or the calls in a row, that `chain_text` writes.

    A question's evidence holds what the step before it found, identifiers with commas between. Splits keep
    questions with the same text or the same call together. Raises `InputError` with file, line and field
    when read, `UnknownName` for another split.
    """
    file = Path(name.removeprefix(PREFIX)).expanduser()
    if not file.is_file():
        raise InputError("there is no such file", file=file)
    chosen = split or "all"
    if chosen not in SPLITS:
        raise UnknownName("split", chosen, SPLITS)
    divide = {"all": None, "random": _same_call, "unseen": _endpoint}[chosen]
    return Benchmark(
        name=file.stem,
        split=chosen,
        comparison=COMPARISON,
        dialect="",
        files=(file,),
        splits=SPLITS,
        read=lambda: _part(file, divide, tested=True),
        read_training=(lambda: _part(file, divide, tested=False)) if divide else None,
    )


def is_of_calls(benchmark: Benchmark) -> bool:
    """True if a benchmark's gold is calls rather than queries."""
    return benchmark.comparison == COMPARISON


def gold_calls(question: BenchmarkQuestion) -> tuple[ToolCall, ...]:
    """The calls that answer a question of `load_calls`, in order; mostly one."""
    content = json.loads(question.gold[0])
    held = content if isinstance(content, list) else [content]
    return tuple(ToolCall(str(one["name"]), one["arguments"]) for one in held)


def gold_call(question: BenchmarkQuestion) -> ToolCall:
    """The call that answers a question of `load_calls`; of several in a row the last."""
    return gold_calls(question)[-1]


def has_chains(benchmark: Benchmark) -> bool:
    """True if any question takes several calls in a row."""
    return any(len(gold_calls(question)) > 1 for question in benchmark)


def solved(questions: Iterable[BenchmarkQuestion]) -> list[SolvedCall]:
    """Questions with their gold, for callers to learn from: those that one call answers."""
    return [_solved(question) for question in questions if len(gold_calls(question)) == 1]


def _solved(question: BenchmarkQuestion) -> SolvedCall:
    step = next((int(t.removeprefix("step ")) for t in question.tags if t.startswith("step ")), 1)
    call = gold_call(question)
    return SolvedCall(question.text, call.endpoint, call.arguments, step)


def found_before(evidence: str) -> tuple[str, ...]:
    """The identifiers that the step before a question found."""
    return tuple(one.strip() for one in evidence.split(",") if one.strip())


def kin(questions: Sequence[BenchmarkQuestion]) -> list[int]:
    """A number for each question, shared by those that give each other away: of one text, or of one call."""
    lead = _joined((_folded(q.text), _folded(q.gold[0])) for q in questions)
    roots = [lead(_folded(q.gold[0])) for q in questions]
    numbers = {root: n for n, root in enumerate(dict.fromkeys(roots))}
    return [numbers[root] for root in roots]


def _joined(pairs: Iterable[tuple[str, str]]) -> Callable[[str], str]:
    """Give a function from each key to one key of its group: pairs join keys into groups."""
    leader: dict[str, str] = {}

    def lead(key: str) -> str:
        while leader.setdefault(key, key) != key:
            key = leader[key]
        return key

    for one, other in pairs:
        leader[lead(one)] = lead(other)
    return lead


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


_Divide = Callable[[Sequence[BenchmarkQuestion]], Sequence[Any]]


def _same_call(questions: Sequence[BenchmarkQuestion]) -> Sequence[Any]:
    return kin(questions)


def _endpoint(questions: Sequence[BenchmarkQuestion]) -> Sequence[Any]:
    """Endpoints, joined where one question takes several of them."""
    of_text: dict[str, str] = {}
    lead = _joined(
        (call.endpoint, of_text.setdefault(_folded(question.text), call.endpoint))
        for question in questions
        for call in gold_calls(question)
    )
    return [lead(gold_call(q).endpoint) for q in questions]


def _part(file: Path, divide: _Divide | None, *, tested: bool) -> Iterator[BenchmarkQuestion]:
    """The tested fifth, by a fixed seed, or the rest; everything without a division."""
    if divide is None:
        yield from _questions(file)
        return
    questions = list(_questions(file))
    groups = divide(questions)
    sizes = Counter(groups)
    names = sorted(sizes, key=str)
    random.Random(SEED).shuffle(names)
    if divide is _same_call:
        held_out = _fifth(names, sizes)
    else:
        held_out = set(names[: max(1, round(TESTED * len(names)))])
    yield from (q for q, g in zip(questions, groups, strict=True) if (g in held_out) == tested)


def _fifth(names: Sequence[Any], sizes: Mapping[Any, int]) -> set[Any]:
    """Groups, in order, that hold a fifth of the questions together; those too large are passed over."""
    most = max(1, round(TESTED * sum(sizes.values())))
    taken: set[Any] = set()
    held = 0
    for name in names:
        if held + sizes[name] <= most:
            taken.add(name)
            held += sizes[name]
    return taken or {min(names, key=lambda name: sizes[name])}


def _questions(file: Path) -> Iterator[BenchmarkQuestion]:
    earlier: dict[str, str] = {}
    for number, record in enumerate(records(file), start=1):
        text, calls = _pair(record)
        step = record.content.get("step") or 1
        if not isinstance(step, int):
            raise record.wrong("must be a number", "step")
        yield BenchmarkQuestion(
            id=record.optional("id") or f"q{number:05}",
            text=text,
            database="",
            gold=(chain_text(calls),),
            evidence=earlier.get(text, "") if step > 1 else "",
            tags=(f"step {step}",) if step > 1 else (f"{len(calls)} calls",) if len(calls) > 1 else (),
        )
        if ids := _FOUND.search(_observed(record)):
            earlier[text] = ", ".join(re.findall(r"\d+", ids[1]))


def _observed(record: Record) -> str:
    held = record.content.get("observation")
    return held if isinstance(held, str) else json.dumps(held)


def _pair(record: Record) -> tuple[str, tuple[ToolCall, ...]]:
    """Question and calls of one record, in any of the forms."""
    if "conversations" in record.content:
        text, call = _from_turns(record)
        return text, (call,)
    if "function_calling" in record.content:
        return record.text("user_query", "query"), (_call(record, "function_calling"),)
    text = record.text("query", "question", "user_query")
    return text, _listed(record) if "calls" in record.content else (_plain(record),)


def _listed(record: Record) -> tuple[ToolCall, ...]:
    held = record.content["calls"]
    if not isinstance(held, list) or not held or not all(isinstance(one, dict) for one in held):
        raise record.wrong("must be a list of objects with endpoint and arguments, at least one", "calls")
    return tuple(_plain(Record(record.file, record.line, one)) for one in held)


def _plain(record: Record) -> ToolCall:
    given = record.content.get("arguments_api") or record.content.get("arguments")
    if not isinstance(given, dict):
        raise record.wrong("must be an object of argument names and values", "arguments")
    return ToolCall(record.text("endpoint", "name"), given)


def called(record: Record) -> tuple[ToolCall, ...]:
    """The calls of one record of a prediction file, in order; none where it declines."""
    if record.content.get("function_calling") is not None:
        return (_call(record, "function_calling"),)
    if record.content.get("calls"):
        return _listed(record)
    return (_plain(record),) if record.optional("endpoint", "name") else ()


def _from_turns(record: Record) -> tuple[str, ToolCall]:
    turns = record.content["conversations"]
    said: dict[str, str] = {}
    for turn in turns if isinstance(turns, list) else ():
        if isinstance(turn, dict) and isinstance(turn.get("value"), str):
            said.setdefault(str(turn.get("from")), turn["value"])
    missing = [who for who in ("human", "function_call") if who not in said]
    if missing:
        raise record.wrong(f"has no turn from {missing[0]!r}", "conversations")
    call = json_object(said["function_call"], record.file, record.line)
    return said["human"].strip(), _call(
        Record(record.file, record.line, {"function_call": call}), "function_call"
    )


def _call(record: Record, field: str) -> ToolCall:
    held = record.content.get(field)
    if not isinstance(held, dict) or not isinstance(held.get("name"), str):
        raise record.wrong("must be an object with name and arguments", field)
    if not isinstance(held.get("arguments"), dict):
        raise record.wrong("must be an object of argument names and values", f"{field}.arguments")
    return ToolCall(held["name"], held["arguments"])
