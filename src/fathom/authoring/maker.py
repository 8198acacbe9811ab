"""The one frame for making benchmarks: a maker is a tuple of steps over items, as a method is of steps.

Each step keeps what it made in a file of its own in the maker's folder, with who made it and why; what is
there isn't made again, so that a killed run goes on where it was, and what is rejected stays with its reason.
"""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from fathom.authoring.journal import Item, Journal, entries, rewrite
from fathom.authoring.review import decided, queue
from fathom.errors import InputError
from fathom.files import write_whole

PUBLISH = "publish"
"""The last step of every maker: it writes the benchmark."""

Made = Sequence[Item] | None
"""The items made of one item, kept or rejected; None if that failed for now and must be tried again."""

Work = Callable[[Item], Awaitable[Made]]
"""A step's work on an item: it gives the items made of it."""

Tell = Callable[[str, int, int], None]
"""Hears of progress: a step, the items done, and how many there are."""


@dataclass(frozen=True, slots=True)
class ItemStep:
    """A step that works on one item after the other. `by` says who does it: a model's name, or the rule's."""

    name: str
    work: Work
    by: str = "rule"


@dataclass(frozen=True, slots=True)
class SpreadStep:
    """A step whose work is spread over processes or machines: it takes items as it has room for them.

    `work` gives the id of each item and what came of it, in any order.
    """

    name: str
    work: Callable[[Iterator[Item]], Iterator[tuple[str, Made]]]
    by: str = "rule"


@dataclass(frozen=True, slots=True)
class WholeStep:
    """A step that needs all items, such as one that drops duplicates: it is done anew each time.

    `work` gives every item again, as it is or rejected.
    """

    name: str
    work: Callable[[Iterator[Item]], Iterator[Item]]
    by: str = "rule"


@dataclass(frozen=True, slots=True)
class PeopleStep:
    """A step of people: they fill in a file, NAME.jsonl, which is read back and never rewritten.

    `shown` is what they see of an item beside its question; `editable` names what they may correct.
    """

    name: str
    shown: Callable[[Item], Mapping[str, Any]]
    editable: tuple[str, ...] = ("question",)
    by: str = "people"


MakerStep = ItemStep | SpreadStep | WholeStep | PeopleStep


@dataclass(frozen=True)
class Maker:
    """A maker of a benchmark: `sources` are the items to start from, `settings` decide what comes of them.

    `publish` writes the benchmark of what the last step kept, and gives figures about it. `reviewed_only`
    publishes only what people decided to keep.
    """

    kind: str
    sources: Sequence[Item]
    steps: tuple[MakerStep, ...]
    publish: Callable[["Production"], Mapping[str, Any]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    reviewed_only: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all steps, publishing last."""
        return (*(s.name for s in self.steps), PUBLISH)


@dataclass(frozen=True)
class Production:
    """A maker at work in its folder."""

    maker: Maker
    folder: Path

    def file(self, step: str) -> Path:
        """A step's file."""
        return self.folder / f"{step}.jsonl"

    def made(self, step: str) -> Iterator[Item]:
        """Read a step's results for items kept so far, rejected ones too. Raises `InputError`."""
        place = self.maker.names.index(step)
        found = self.maker.steps[place]
        if isinstance(found, PeopleStep):
            return decided(self._before(place), self.file(step), found.editable, self.maker.reviewed_only)
        among = {str(item["id"]) for item in self._before(place)}
        return chain.from_iterable(items for _, items in entries(self.file(step), among))

    def kept(self, step: str) -> Iterator[Item]:
        """The items that go on to the next step."""
        return (item for item in self.made(step) if not item.get("rejected"))

    def finished(self) -> Iterator[Item]:
        """The items that all steps kept."""
        return self.kept(self.maker.steps[-1].name)

    def counts(self) -> dict[str, dict[str, int]]:
        """How many items each step gave, and how many of them it kept."""
        found = {}
        for step in self.maker.steps:
            given = [bool(item.get("rejected")) for item in self.made(step.name)]
            found[step.name] = {"given": len(given), "kept": given.count(False)}
        return found

    def _before(self, place: int) -> Iterator[Item]:
        return self.kept(self.maker.steps[place - 1].name) if place else iter(self.maker.sources)

    def _count(self, place: int) -> int:
        return sum(1 for _ in self._before(place))

    async def do(self, step: MakerStep, tell: Tell) -> None:
        """Do one step over what the step before left."""
        place = self.maker.names.index(step.name)
        match step:
            case PeopleStep():
                queue(self._before(place), self.file(step.name), step.shown, step.editable)
            case WholeStep():
                made = step.work(self._before(place))
                rewrite(self.file(step.name), ((item["id"], [{**item, "by": step.by}]) for item in made))
            case ItemStep():
                await self._do_each(step, self._before(place), self._count(place), tell)
            case SpreadStep():
                await self._spread(step, self._before(place), self._count(place), tell)

    async def _do_each(self, step: ItemStep, items: Iterator[Item], total: int, tell: Tell) -> None:
        with Journal(self.file(step.name)) as journal:
            tell(step.name, len(journal.done), total)
            for item in (item for item in items if item["id"] not in journal.done):
                if (made := await step.work(item)) is not None:
                    journal.add(str(item["id"]), [{**one, "by": step.by} for one in made])
                tell(step.name, len(journal.done), total)
                await asyncio.sleep(0)  # here Ctrl-C is heard, whatever the work is

    async def _spread(self, step: SpreadStep, items: Iterator[Item], total: int, tell: Tell) -> None:
        """Keep what comes in the order of the items: what comes early waits for those before it."""
        order: deque[str] = deque()
        early: dict[str, Made] = {}

        def given() -> Iterator[Item]:
            for item in items:
                if item["id"] not in journal.done:
                    order.append(str(item["id"]))
                    yield item

        with Journal(self.file(step.name)) as journal:
            tell(step.name, len(journal.done), total)
            for id_, found in step.work(given()):
                early[id_] = found
                while order and order[0] in early:
                    if (made := early.pop(first := order.popleft())) is not None:
                        journal.add(first, [{**one, "by": step.by} for one in made])
                tell(step.name, len(journal.done), total)
                await asyncio.sleep(0)  # here too


async def make(
    maker: Maker, folder: Path, steps: Sequence[str] = (), *, tell: Tell = lambda *_: None
) -> Mapping[str, Any]:
    """Do these steps, or all, in the maker's order; figures about the benchmark where it is published.

    Raises `InputError` for an unknown step, and for a folder in which something else was made; `InUse`; and
    what the steps raise.
    """
    if unknown := next((step for step in steps if step not in maker.names), None):
        raise InputError(f"There is no step {unknown!r}. There is: {', '.join(maker.names)}.")
    production = Production(maker, folder)
    _claim(production)
    for step in maker.steps:
        if not steps or step.name in steps:
            await production.do(step, tell)
    return maker.publish(production) if not steps or PUBLISH in steps else {}


def _claim(production: Production) -> None:
    """Keep what is made in the folder, so that nobody goes on in it with other settings."""
    file = production.folder / "maker.json"
    now = json.loads(json.dumps({"kind": production.maker.kind, "settings": production.maker.settings}))
    if not file.exists():
        write_whole(file, json.dumps(now, ensure_ascii=False, indent=1) + "\n", mode=0o644)
        return
    try:
        then = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise InputError("is not JSON; delete it, or choose another folder", file=file) from None
    if then != now:
        changed = [k for k in now["settings"] if then.get("settings", {}).get(k) != now["settings"][k]]
        told = f"with another {', '.join(changed)}" if changed else f"by {then.get('kind')!r}"
        raise InputError(f"what is in this folder was made {told}; choose another folder", file=file)


def by_rule(work: Callable[[Item], Made]) -> Work:
    """The work of a step that needs nobody's answer."""

    async def each(item: Item) -> Made:
        return work(item)

    return each
