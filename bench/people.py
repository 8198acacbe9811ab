"""BIRD's flow of annotation replayed over HTTP: simulated people who err as often as they are told to.

Two annotate alone, a third one settles what they disagree on; then what was measured of them is held against
what they were told to do. And 500 items by two at once, while the server is killed again and again.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import numpy as np
from sqlglot import parse_one

from bench.figures import DATA, Figure
from bench.parts.served import Served, shop
from bench.simulated import corrupt
from fathom.authoring.annotation.equality import Equality, Held
from fathom.authoring.annotation.figures import figures
from fathom.authoring.annotation.history import AnnotationHistory, lines
from fathom.authoring.annotation.records import PersonRole, Project, ReviewItem, WorkKind
from fathom.authoring.annotation.responses import all_submitted
from fathom.authoring.annotation.store import NewItem, Reviews
from fathom.authoring.annotation.workbench import Workbench
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.config import Settings
from fathom.errors import FathomError

TITLE = "People in the loop, replayed"
QUESTIONS, ITEMS, KILLS = 200, 500, 4
ERRS = {"ann": 0.15, "ben": 0.25}
"""How often each simulated annotator is wrong."""
EXPERT_ERRS = 0.05
PATIENCE = 60.0
SEED = 11
Writer = Callable[[str], str]
"""Gives an annotator's query for a question."""
ROLES = {"ann": PersonRole.ANNOTATOR, "ben": PersonRole.ANNOTATOR, "eve": PersonRole.EXPERT}


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as name:
        yield from _collected(Path(name))
    with TemporaryDirectory() as name:
        yield from _replayed(Path(name))


@dataclass
class Team:
    """A server with people, and what it said that it had taken."""

    served: Served
    tokens: dict[str, str]
    taken: list[tuple[str, str]] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    clients: dict[str, httpx2.Client] = field(default_factory=dict)

    def call(self, name: str, method: str, path: str, body: Any = None) -> httpx2.Response:
        """Ask until there is an answer: the server may be starting again."""
        if name not in self.clients:
            headers = {"authorization": f"Bearer {self.tokens[name]}"}
            self.clients[name] = httpx2.Client(base_url=self.served.url, headers=headers, timeout=PATIENCE)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self.clients[name].request(method, path, json=body)
            except httpx2.TransportError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def work(self, name: str, project: str, write: Writer) -> None:
        """Do everything that there is for one person; `write` gives the query for a question."""
        while work := self.call(name, "POST", f"/api/review/p/{project}/next", {}).json()["id"]:
            started = time.perf_counter()
            page = self.call(name, "GET", f"/api/review/w/{work}").json()["work"]
            shown = time.perf_counter() - started
            sql = write(page["question"])
            said = {"sql": sql, "difficulty_question": "1", "difficulty_knowledge": "2",
                    "difficulty_data": "1", "difficulty_sql": str(1 + len(sql) % 3)}  # fmt: skip
            started = time.perf_counter()
            self.call(name, "POST", f"/api/review/w/{work}/run", said)
            ran = time.perf_counter() - started
            results = self.call(name, "GET", f"/api/review/w/{work}").json()["work"]["results"]
            started = time.perf_counter()
            done = self.call(name, "POST", f"/api/review/w/{work}/submit", said)
            if done.status_code == 201:
                self.taken.append((work, sql))
                database = sum(r["seconds"] for r in results)
                self.beside.append(shown + ran + time.perf_counter() - started - database)


def _started(folder: Path, project: Project, items: Sequence[NewItem]) -> dict[str, str]:
    """A project with people; their tokens."""
    with Reviews(folder / "review.sqlite") as reviews:
        tokens = {name: reviews.add_person(name, role)[1] for name, role in ROLES.items()}
        reviews.add_items(reviews.add_project(project), items, "bench")
    return tokens


def _at_once(
    team: Team, project: str, writers: dict[str, Callable[[str], str]], kills: int, each: int
) -> None:
    """Both annotators at once; after each so many responses the server is killed and started again."""
    threads = [threading.Thread(target=team.work, args=(n, project, w)) for n, w in writers.items()]
    for thread in threads:
        thread.start()
    for number in range(1, kills + 1):
        while len(team.taken) < number * each and any(t.is_alive() for t in threads):
            time.sleep(0.05)
        team.served.kill()
        team.served.start_again()
    for thread in threads:
        thread.join()


def _collected(folder: Path) -> Iterator[Figure]:
    path = shop(folder)
    project = Project(id="shop", kind=WorkKind.SQL, databases={"shop": str(path)})
    items = [NewItem(name=str(i), question=f"What is {i}?", database="shop") for i in range(ITEMS)]
    tokens = _started(folder, project, items)
    with Served(folder, str(path)) as served:
        team = Team(served, tokens)
        writers = dict.fromkeys(ERRS, lambda question: f"SELECT {question[8:-1]}")
        _at_once(team, "shop", writers, KILLS, 2 * ITEMS // (KILLS + 1))
    with Reviews(folder / "review.sqlite") as reviews:
        kept = all_submitted(reviews, "shop")
    there = {(one.submission.assignment, one.submission.body["sql"]) for one in kept}
    lost = [told for told in team.taken if told not in there]
    counts = Counter(one.item for one in kept)
    over = sum(n > 2 for n in counts.values())
    note = f"{len(team.taken):,} responses of two at once, {KILLS} kills"
    yield Figure("responses lost", str(len(lost)), "0", not lost, note)
    whole = len(counts) == ITEMS and set(counts.values()) == {2}
    yield Figure("items with too many responses", str(over), "0", over == 0)
    yield Figure("items with both responses", f"{sum(n == 2 for n in counts.values())}", f"{ITEMS}", whole)
    beside = float(np.percentile(team.beside, 95)) * 1000
    told = f"{beside:.0f} ms"
    yield Figure("item, run and submit beside the database, p95", told, "<= 300 ms", beside <= 300, "a shop")


@dataclass(frozen=True)
class Scripted:
    """A question with a right query, and what each annotator writes."""

    question: BenchmarkQuestion
    writes: dict[str, str]
    errs: dict[str, bool]


def _replayed(folder: Path) -> Iterator[Figure]:
    settings = Settings(folder / "config.toml", folder / "cache", store=folder / "fathom.sqlite")
    with Workbench(settings) as bench:
        scripts = _scripts(bench)
    databases = {s.question.database_name: s.question.database for s in scripts.values()}
    project = Project(id="bird", kind=WorkKind.SQL, databases=databases, seed=SEED)
    items = [
        NewItem(name=str(n), question=text, database=s.question.database_name)
        for n, (text, s) in enumerate(scripts.items())
    ]
    tokens = _started(folder, project, items)
    with Served(folder) as served:
        team = Team(served, tokens)
        writers = {name: _writer(scripts, name) for name in ERRS}
        _at_once(team, "bird", writers, 1, len(items))
        _wait(folder)
        conflicts = _settle(team, scripts)
    yield from _held_against(folder, settings, scripts, conflicts)


def _writer(scripts: "dict[str, Scripted]", name: str) -> Writer:
    return lambda question: scripts[question].writes[name]


def _scripts(bench: Workbench) -> dict[str, Scripted]:
    """Questions of the databases at hand whose gold returns something, with right and wrong queries."""
    draw, found = random.Random(SEED), dict[str, Scripted]()
    asked = [q for name in ("bird-train", "spider", "bird") for q in load_benchmark(name, data=DATA)]
    draw.shuffle(asked)
    for question in asked:
        if len(found) == QUESTIONS:
            break
        if question.text in found or not Path(question.database).is_file() or not question.gold:
            continue
        project = Project(id="x", kind=WorkKind.SQL, databases={"d": question.database})
        item = _as_item(question)
        try:
            equality = Equality(bench, project, item)
            gold = equality.held(1, question.gold[:1])
            first = gold.ran[0][0]
            if first.table is None or first.is_empty or first.seconds > 0.5 or len(first.table.held) > 2_000:
                continue
            restated = parse_one(question.gold[0], dialect="sqlite").sql(dialect="sqlite")
            if not all(v.equal for v in equality.compared(equality.held(2, [restated]), gold)):
                continue
            errs = {name: draw.random() < rate for name, rate in ERRS.items()}
            right = {"ann": question.gold[0], "ben": restated}
            writes = {n: _wrong(equality, gold, draw) if errs[n] else right[n] for n in ERRS}
        except (FathomError, ValueError):
            continue
        if all(writes.values()):
            found[question.text] = Scripted(question, {n: str(w) for n, w in writes.items()}, errs)
    return found


def _as_item(question: BenchmarkQuestion) -> ReviewItem:
    return ReviewItem("x", "x", 1, "x", "d", "", 0.0, {}, {}, 1, question.text, "", 0, None)


def _wrong(equality: Equality, gold: Held, draw: random.Random) -> str | None:
    """A query that is wrong on these data or on a changed copy; None where no corruption makes one."""
    for _ in range(6):
        made = corrupt(gold.ran[0][0].sql, equality.database.schema, draw, syntax_errors=0.05)
        if not all(v.equal for v in equality.compared(equality.held(3, [made]), gold)):
            return made
    return None


def _wait(folder: Path) -> None:
    """Until the machine has looked at everything."""
    until = time.monotonic() + 5 * PATIENCE
    with Reviews(folder / "review.sqlite") as reviews:
        while time.monotonic() < until:
            if all(item.decision for item in reviews.items("bird")):
                return
            time.sleep(0.5)
    raise TimeoutError("not settled")


def _settle(team: Team, scripts: dict[str, Scripted]) -> set[str]:
    """Have the expert decide every conflict; the questions that were one."""
    draw, found = random.Random(SEED + 1), set[str]()
    for line in team.call("eve", "GET", "/api/review/p/bird").json()["conflicts"]:
        item = team.call("eve", "GET", f"/api/review/i/{line['id']}").json()
        script = scripts[item["question"]]
        found.add(item["question"])
        right = {script.writes[name] for name, errs in script.errs.items() if not errs}
        letters = {r["letter"]: r["body"]["sql"] in right for r in item["responses"]}
        errs = draw.random() < EXPERT_ERRS
        chosen = next((letter for letter, is_right in letters.items() if is_right != errs), None)
        decision = {"action": "choose", "letter": chosen, "reason": "by the guideline"}
        if chosen is None:
            decision = {"action": "write", "sql": script.question.gold[0], "reason": "neither"}
        done = team.call("eve", "POST", f"/api/review/i/{line['id']}/decide", decision)
        if done.status_code != 201:  # it can't be gold: fails, or returns nothing
            decision = {"action": "write", "sql": script.question.gold[0], "reason": "neither can be gold"}
            team.call("eve", "POST", f"/api/review/i/{line['id']}/decide", decision)
    return found


def _held_against(
    folder: Path, settings: Settings, scripts: dict[str, Scripted], conflicts: set[str]
) -> Iterator[Figure]:
    one_errs = [t for t, s in scripts.items() if sum(s.errs.values()) == 1]
    became = sum(text in conflicts for text in one_errs)
    note = f"{len(scripts)} questions over {len({s.question.database for s in scripts.values()})} databases"
    yield Figure("errors of one that became conflicts", f"{became} of {len(one_errs)}", "all",
                 became == len(one_errs), note)  # fmt: skip
    with Reviews(folder / "review.sqlite") as reviews, Workbench(settings) as bench:
        project = reviews.project("bird")
        told = figures(AnnotationHistory.of(lines(reviews, project, names=True)))
        right = 0
        for item in reviews.items("bird"):
            gold = scripts[item.question].question.gold[:1]
            equality = Equality(bench, project, item)
            body = item.decision.body if item.decision else {}
            mine = equality.held(1, list(body.get("golds") or ())[:1])
            right += bool(mine.ran) and all(
                v.equal for v in equality.compared(mine, equality.held(None, gold))
            )
    for name, rate in ERRS.items():
        measured = told["right"][name]
        low, high = (1 - bound for bound in reversed(measured["interval"]))
        value = f"{1 - measured['value']:.1%} ({low:.1%} to {high:.1%})"
        yield Figure(f"error rate of {name}, as measured", value, f"{rate:.0%}", low <= rate <= high,
                     f"N = {measured['n']}")  # fmt: skip
    best = max(told["right"][name]["value"] for name in ERRS)
    yield Figure("gold that is right", f"{right / len(scripts):.1%}", f"> {best:.1%}",
                 right / len(scripts) > best, "more often than either annotator")  # fmt: skip
