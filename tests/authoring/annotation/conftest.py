import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.queue import next_work
from fathom.authoring.annotation.records import Assignment, Person, PersonRole, Project, ReviewItem, WorkKind
from fathom.authoring.annotation.responses import save
from fathom.authoring.annotation.store import NewItem, Reviews
from fathom.authoring.annotation.workbench import Workbench
from fathom.config import Settings

SHOP = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city (id), buyer TEXT, amount REAL);
"""


def shop(folder: Path) -> Path:
    """Five cities of two countries, and sixty sales without an empty value."""
    file = folder / "shop.sqlite"
    with closing(sqlite3.connect(file)) as made, made:
        made.executescript(SHOP)
        cities = [("Bern", "CH"), ("Basel", "CH"), ("Rome", "IT"), ("Turin", "IT"), ("Milan", "IT")]
        made.executemany("INSERT INTO city VALUES (?, ?, ?)", [(i, *c) for i, c in enumerate(cities, 1)])
        sales = [(i, i % 5 + 1, f"buyer {i % 7}", 10.0 + i) for i in range(1, 61)]
        made.executemany("INSERT INTO sale VALUES (?, ?, ?, ?)", sales)
    return file


@dataclass
class Clock:
    """The time, which goes on when it is told to."""

    at: datetime = field(default_factory=lambda: datetime(2026, 1, 5, 9, tzinfo=UTC))

    def __call__(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at

    def wait(self, **time: float) -> None:
        self.at += timedelta(**time)


@dataclass
class Team:
    """A project's people at work, by name."""

    reviews: Reviews
    bench: Workbench
    clock: Clock
    people: dict[str, Person]
    file: Path

    def project(self, kind: WorkKind = WorkKind.SQL, **rules: Any) -> Project:
        """A new project about the shop."""
        made = Project(**{"id": f"p-{kind}", "kind": kind, "databases": {"shop": str(self.file)}, **rules})
        return self.reviews.add_project(made)

    def add(self, project: Project, *questions: str, **more: Any) -> list[ReviewItem]:
        """Items, called q1, q2 and so on."""
        there = len(self.reviews.items(project.id))
        new = [NewItem(name=f"q{there + i}", question=q, database="shop", **more)
               for i, q in enumerate(questions, 1)]  # fmt: skip
        self.reviews.add_items(project, new, "test")
        return list(self.reviews.items(project.id)[there:])

    def give(self, project: Project, name: str, item: ReviewItem) -> Assignment:
        """That item as one person's work; those that come before it are skipped."""
        from fathom.authoring.annotation.queue import skip

        for _ in self.reviews.items(project.id):
            given = next_work(self.reviews, project, self.people[name])
            assert given is not None
            if given.item == item.id:
                return given
            skip(self.reviews, given)
        raise AssertionError("not offered")

    def submit(self, project: Project, name: str, body: dict[str, Any]) -> str:
        """Do whatever comes next; the item's id."""
        given = next_work(self.reviews, project, self.people[name])
        assert given is not None
        save(self.reviews, given, body, submit=True)
        return given.item

    def both(
        self, project: Project, first: dict[str, Any], second: dict[str, Any], question: str = "How many?"
    ) -> ReviewItem:
        """Ann and Ben do an item, new unless one is open; the machine looks at it; how it stands."""
        if all(item.state != "open" or item.submitted for item in self.reviews.items(project.id)):
            self.add(project, question)
        item = self.submit(project, "ann", first)
        assert self.submit(project, "ben", second) == item
        advance(self.reviews, self.bench, project)
        return self.reviews.item(item)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    clock = Clock()
    settings = Settings(tmp_path / "config.toml", tmp_path / "cache", store=tmp_path / "fathom.sqlite")
    with Reviews(tmp_path / "review.sqlite", clock) as reviews, Workbench(settings) as bench:
        roles = {
            "ann": PersonRole.ANNOTATOR, "ben": PersonRole.ANNOTATOR, "cem": PersonRole.ANNOTATOR,
            "eve": PersonRole.EXPERT, "olga": PersonRole.OWNER,
        }  # fmt: skip
        people = {name: reviews.add_person(name, role)[0] for name, role in roles.items()}
        yield Team(reviews, bench, clock, people, shop(tmp_path))


def sql(text: str, **more: Any) -> dict[str, Any]:
    """A response with a query."""
    return {"sql": text, **more}
