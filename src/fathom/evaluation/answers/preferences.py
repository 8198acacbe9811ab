"""Which of two systems' answers are preferred, by a judge model and by people (arXiv 2605.05758)."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, StringConstraints

from fathom.errors import InputError, ModelFailed, ReplyUnusable
from fathom.evaluation.answers.pairs import VERDICTS, AnswerPair
from fathom.evaluation.answers.reply_files import as_they_come, by_model, damaged
from fathom.evaluation.metrics import Mean, Preference, cohen_kappa, exact_agreement, krippendorff_alpha
from fathom.files import write_whole
from fathom.llm import Model
from fathom.llm.prompts import load

_WON = {"A": 1.0, "B": 0.0}
_TIE = 0.5


class PreferenceReply(BaseModel):
    """A judge's reply."""

    verdict: Literal["left", "right", "both_good", "both_bad"]
    reason: Annotated[str, StringConstraints(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class PairPreference:
    """A model's verdict on one pair; None where it failed, with the reason."""

    id: str
    verdict: str | None
    reason: str


async def choose(pair: AnswerPair, model: Model) -> PairPreference:
    """Ask a model about one pair, without saying whose is which. Raises `BudgetExceeded`, `CassetteMiss`."""
    left, right = pair.sides
    prompt = load(__package__, "prefer").render(question=pair.question, left_answer=left, right_answer=right)
    try:
        found = await model.typed(prompt, PreferenceReply)
    except (ModelFailed, ReplyUnusable) as error:
        if error.lasting:
            raise
        return PairPreference(pair.id, None, str(error))
    return PairPreference(pair.id, found.verdict, found.reason.strip())


def prefer_by_model(pairs: Sequence[AnswerPair], file: Path, model: Model) -> dict[str, str]:
    """A model's labels by question id, each verdict kept in a file as it comes.

    What failed is asked again, and so are pairs whose answers have changed.

    Raises `InputError` for a damaged file and for one that another command is writing, `RunError` for one of
    another model, and what `choose` raises.
    """
    try:
        with FileLock(file.with_name(file.name + ".lock"), timeout=0):
            return _chosen(pairs, file, model)
    except Timeout:
        raise InputError("another command is writing it", file=file) from None


def _chosen(pairs: Sequence[AnswerPair], file: Path, model: Model) -> dict[str, str]:
    known = {pair.id: pair for pair in pairs}
    kept = {}
    for number, content in by_model(file, model.name):
        if content.get("verdict") not in {*VERDICTS, None}:
            raise damaged(file, number)
        pair = known.get(str(content.get("id")))
        if pair is not None and content["verdict"] is not None and content.get("pair") == pair.digest:
            kept[pair.id] = PairPreference(pair.id, content["verdict"], str(content.get("reason", "")))

    def line(choice: PairPreference) -> str:
        told = {"id": choice.id, "verdict": choice.verdict, "reason": choice.reason}
        told |= {"pair": known[choice.id].digest, "model": model.name}
        return json.dumps(told, ensure_ascii=False) + "\n"

    write_whole(file, "".join(map(line, kept.values())), mode=0o644)
    jobs = [partial(choose, pair, model) for pair in pairs if pair.id not in kept]
    choices = [*kept.values(), *asyncio.run(as_they_come(jobs, file, line))]
    return {one.id: known[one.id].label(one.verdict) for one in choices if one.verdict is not None}


@dataclass(frozen=True, slots=True)
class Preferences:
    """The labels of several annotators by question id, and what they come to."""

    labels: Mapping[str, Mapping[str, str]]

    def of(self, annotator: str) -> tuple[Preference, Mean]:
        """One annotator's counts, and the first's win rate with ties split, with its interval."""
        given = list(self.labels[annotator].values())
        return Preference.of(given), Mean.of([_WON.get(label, _TIE) for label in given])

    @property
    def win_rate(self) -> float | None:
        """The first's adjusted win rate, averaged over the annotators."""
        rates = [rate for name in self.labels if (rate := self.of(name)[1].value) is not None]
        return sum(rates) / len(rates) if rates else None

    @property
    def alpha(self) -> float | None:
        """Krippendorff's alpha over all annotators; None where it isn't defined."""
        return krippendorff_alpha(list(self.labels.values())) if len(self.labels) > 1 else None

    def agreements(self) -> list[dict[str, Any]]:
        """Each two annotators on what both labelled: N, the share labelled alike, Cohen's kappa."""
        found = []
        for one, other in combinations(self.labels, 2):
            both = [key for key in self.labels[one] if key in self.labels[other]]
            ours = [self.labels[one][key] for key in both]
            theirs = [self.labels[other][key] for key in both]
            alike, kappa = exact_agreement(ours, theirs), cohen_kappa(ours, theirs)
            found.append({"annotators": [one, other], "n": len(both), "exact": alike, "kappa": kappa})
        return found

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        told = {}
        for name in self.labels:
            counted, rate = self.of(name)
            told[name] = {**counted.as_json(), "interval": rate.interval()}
        return {
            "win_rate": self.win_rate,
            "annotators": told,
            "agreement": self.agreements(),
            "alpha": self.alpha,
        }
