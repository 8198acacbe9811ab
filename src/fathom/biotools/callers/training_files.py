"""Training files for the fine-tuned caller, in the three layouts that trainers take."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from fathom.biotools.callers.finetuned import OFFERED, prompt_for, target_of
from fathom.biotools.callers.offline import OfflineCaller
from fathom.biotools.catalogue import check
from fathom.errors import CallRefused, UnknownName
from fathom.records import SolvedCall


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """One conversation: what is asked, and the call to learn."""

    system: str
    question: str
    target: str


def _chat(one: TrainingExample) -> dict[str, Any]:
    turns = (("system", one.system), ("user", one.question), ("assistant", one.target))
    return {"messages": [{"role": role, "content": text} for role, text in turns]}


def _sharegpt(one: TrainingExample) -> dict[str, Any]:
    turns = (("system", one.system), ("human", one.question), ("gpt", one.target))
    return {"conversations": [{"from": who, "value": text} for who, text in turns]}


def _alpaca(one: TrainingExample) -> dict[str, Any]:
    return {"system": one.system, "instruction": one.question, "input": "", "output": one.target}


LAYOUTS: Mapping[str, Callable[[TrainingExample], dict[str, Any]]] = {
    "chat": _chat,
    "sharegpt": _sharegpt,
    "alpaca": _alpaca,
}
"""The same turns, word for word, in each: a server's chat template then makes of them what it made in training."""


@dataclass(frozen=True, slots=True)
class TrainingFiles:
    """The result of writing: the number of examples in each split, and the pairs left out with the reason."""

    counts: Mapping[str, int]
    left_out: tuple[tuple[SolvedCall, str], ...]


def write_training(
    splits: Mapping[str, Iterable[SolvedCall]], folder: Path, *, about: Mapping[str, Any]
) -> TrainingFiles:
    """Write FOLDER/SPLIT.LAYOUT.jsonl for every split and layout, and `about.json` beside them.

    A pair whose call the catalogue refuses is left out, and `about.json` says why. The endpoints described in
    a prompt are those found for its question, with the right one among them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    retrieval = OfflineCaller()
    counts: dict[str, int] = {}
    left_out: list[tuple[SolvedCall, str]] = []
    for split, pairs in splits.items():
        examples: list[TrainingExample] = []
        for pair in pairs:
            try:
                examples.append(_example(pair, retrieval))
            except (CallRefused, UnknownName) as error:
                left_out.append((pair, str(error)))
        counts[split] = len(examples)
        for layout, shape in LAYOUTS.items():
            lines = [json.dumps(shape(one), ensure_ascii=False) + "\n" for one in examples]
            (folder / f"{split}.{layout}.jsonl").write_text("".join(lines), encoding="utf-8")
    refused = [{"question": p.question, "endpoint": p.endpoint, "reason": why} for p, why in left_out]
    told = {**about, "examples": counts, "left_out": refused}
    (folder / "about.json").write_text(
        json.dumps(told, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    return TrainingFiles(counts, tuple(left_out))


def first_part(pairs: Sequence[SolvedCall], fraction: float) -> list[SolvedCall]:
    """So much of the pairs, at least one, in their order; a greater fraction holds all of a smaller one.

    Which those are follows from each pair's own words, so that adding pairs to a file changes few.
    """
    if not pairs:
        return []
    drawn = sorted(range(len(pairs)), key=lambda i: sha256(repr(pairs[i]).encode()).digest())
    kept = set(drawn[: max(1, round(fraction * len(pairs)))])
    return [pair for i, pair in enumerate(pairs) if i in kept]


def _example(pair: SolvedCall, retrieval: OfflineCaller) -> TrainingExample:
    call = check(pair.endpoint, pair.arguments)
    found = retrieval.likely(pair.question, most=OFFERED)
    if call.endpoint.name not in found:
        found = (*found[: OFFERED - 1], call.endpoint.name)
    system, question = prompt_for(pair.question, found)
    return TrainingExample(system, question, target_of(call))
