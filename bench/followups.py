"""How often follow-ups in people's words are answered, and rightly: pairs of questions in a conversation."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.figures import Figure, wanted
from bench.first_questions import RIGHT_OF_ANSWERED
from bench.questions.asking import SHOW, Asked, file_of, kept, rate
from bench.questions.made_followups import dropped, made_follow_ups
from fathom.answering import Conversation
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.offline.engine import OfflineEngine
from fathom.records import Answer, Ending

TITLE = "Follow-ups of people to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "followups.yaml"
_DEMO = "demo:"
_ANSWERED, _MISSING, _PERTURBED = "answered", "missing", "perturbed"
"""Pairs whose follow-up the database answers, those that ask for what it doesn't hold, and follow-ups with
words added that change what is asked."""
_MORE = ("{} except on Mondays", "{} with a coupon", "{} per planet", "{} older than 30")


def measure() -> Iterator[Figure]:
    """Split by split: of the follow-ups that the database answers, how many are answered and how many of
    those rightly; of the others, how many are declined. Then follow-ups made from templates.
    """
    cases: Mapping[str, Any] = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    for split in ("develop", "measure"):
        if not wanted(split):
            continue
        with TemporaryDirectory() as folder:
            own = {n: c for n, c in cases.items() if c["split"] == split}
            asked = [a for n, c in own.items() for a in _ask(n, c, Path(folder))]
        yield from _tell(f"split {split}", asked)
    if wanted("made"):
        with TemporaryDirectory() as folder:
            yield from _made(sorted(n for n, c in cases.items() if c["split"] == "develop"), Path(folder))


def _made(names: list[str], folder: Path) -> Iterator[Figure]:
    """Follow-ups from templates over each database: errors, and conditions that are dropped."""
    found: Counter[str] = Counter()
    for name in names:
        with connect(name if name.startswith(_DEMO) else file_of(name, folder)) as database:
            engine = OfflineEngine(database)
            for made in made_follow_ups(database):
                try:
                    lost = dropped(made, engine)
                except Exception as error:
                    found["failed"] += 1
                    print(f"{name}: {made.text} after {made.before}: {error!r}")
                    continue
                found["unread" if lost is None else "dropped" if lost else "kept"] += 1
    total = sum(found.values())
    yield Figure("made: ended by an error", f"{found['failed']}/{total}", "0", not found["failed"])
    yield Figure("made: dropped a condition", f"{found['dropped']}/{total}", "0", not found["dropped"])
    yield Figure("made: read", f"{found['kept'] + found['dropped']}/{total}")


def _tell(what: str, asked: list[Asked]) -> Iterator[Figure]:
    answerable = [a for a in asked if a.kind == _ANSWERED]
    missing = [a for a in asked if a.kind == _MISSING]
    answered = kept(answerable)
    more = [a for a in asked if a.kind == _PERTURBED]
    lost = sum(not a.right for a in more)
    met = sum(a.right for a in answered) >= RIGHT_OF_ANSWERED * len(answered) if answered else None
    share = f"{len(answered) / len(answerable):.1%} ({len(answered)}/{len(answerable)})"
    yield Figure(f"{what}: answered rightly", rate([a if not a.declined else _wrong(a) for a in answerable]))
    yield Figure(f"{what}: answered", share)
    yield Figure(f"{what}: right of those answered", rate(answered), f"{RIGHT_OF_ANSWERED:.0%}", met)
    declined = sum(a.declined for a in missing)
    yield Figure(f"{what}: declined where nothing answers", f"{declined}/{len(missing)}")
    yield Figure(f"{what}: answered without regard to words added", f"{lost}/{len(more)}", "0", not lost)


def _wrong(asked: Asked) -> Asked:
    return Asked(asked.database, asked.kind, right=False, declined=True)


def _ask(name: str, case: Mapping[str, Any], folder: Path) -> Iterator[Asked]:
    file = name if name.startswith(_DEMO) else str(file_of(name, folder))
    for pair in case["pairs"]:
        with Conversation(file, method="offline") as talk:
            first, answer = talk.ask(pair["first"]), talk.ask(pair["then"])
            for form in _MORE if answer.sql else ():
                more = Conversation(talk.asking, [first]).ask(form.format(pair["then"].strip("?")))
                yield Asked(name, _PERTURBED, more.sql != answer.sql, more.sql is None)
        declined = answer.ending is not Ending.SURE
        gold = tuple(pair["gold"])
        right = declined if not gold else _is_right(name, file, pair["then"], gold, answer)
        if SHOW and case["split"] == "develop":
            _show(name, pair, answer, right=right)
        yield Asked(name, _ANSWERED if gold else _MISSING, right, declined)


def _is_right(name: str, file: str, text: str, gold: tuple[str, ...], answer: Answer) -> bool:
    question = BenchmarkQuestion(text, text, file, gold, database_name=name)
    marks = judge(Exam(question, respond(answer), "sql_eval", seconds=5.0))
    return marks.final.outcome.value == "correct"


def _show(name: str, pair: Mapping[str, Any], answer: Answer, *, right: bool) -> None:
    fate = f"{'right' if right else 'WRONG'} {answer.ending.value}"
    told = (
        answer.refusal.reason if answer.refusal else answer.assumptions[0].text if answer.assumptions else ""
    )
    print(f"{fate} {name}: {pair['first']} -> {pair['then']}\n    {answer.sql}\n    {told}")
