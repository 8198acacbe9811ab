"""How people's work looks on a terminal: projects, people, and how far they agree."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.table import Table

from fathom.authoring.annotation.exams import results
from fathom.authoring.annotation.records import Project
from fathom.authoring.annotation.responses import all_submitted
from fathom.authoring.annotation.store import Reviews
from fathom.interfaces.cli.display import bare_table, console, plain, print_json


def show_projects(reviews: Reviews, *, json: bool) -> None:
    """All projects with how they stand."""
    found = [_summary(reviews, project) for project in reviews.projects()]
    if json:
        print_json({"projects": found})
    elif not found:
        console.print("There is no project yet. fathom review new PROJECT KIND begins one.")
    else:
        table = _table("project", "kind", "items", "settled", "conflicts", "open", "dropped")
        for one in found:
            states = [str(one["states"].get(s, 0)) for s in ("settled", "conflict", "open", "dropped")]
            table.add_row(plain(one["id"]), one["kind"], str(one["items"]), *states)
        console.print(table)


def show_project(reviews: Reviews, project: Project, *, json: bool) -> None:
    """One project: its rules, how it stands, who did how much, and how exams went."""
    told = _summary(reviews, project)
    names = {person.id: person.name for person in reviews.people()}
    done = Counter(names[one.person] for one in all_submitted(reviews, project.id))
    told["done"] = dict(done.most_common())
    told["exam_results"] = [
        {"person": names[r.person], "hits": r.hits, "total": r.total, "passed": r.passed}
        for r in results(reviews, project)
    ]
    if json:
        print_json(told)
        return
    console.print(plain(f"{project.title}: {project.kind}"), style="bold")
    console.print(plain(f"{told['items']:,} items: {_listed(told['states']) or 'none'}."))
    for name, count in told["done"].items():
        console.print(plain(f"  {name}: {count:,} done"))
    for one in told["exam_results"]:
        how = "let pass" if one["hits"] is None else f"{one['hits']} of {one['total']} right"
        console.print(plain(f"  {one['person']}: {'passed' if one['passed'] else 'failed'}, {how}"))
    if waiting := told["states"].get("conflict"):
        console.print(
            plain(f"{waiting:,} wait for an expert: fathom review conflicts {project.id} --out FILE")
        )


def _summary(reviews: Reviews, project: Project) -> dict[str, Any]:
    items = reviews.items(project.id)
    return {
        "id": project.id,
        "kind": project.kind.value,
        "title": project.title,
        "closed": project.closed,
        "items": len(items),
        "states": dict(Counter(item.state for item in items)),
    }


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {state}" for state, n in sorted(counts.items()))


def show_people(reviews: Reviews, *, json: bool) -> None:
    """Who takes part."""
    people = reviews.people()
    if json:
        print_json({"people": [{"name": p.name, "role": p.role.value, "left": p.has_left} for p in people]})
    elif not people:
        console.print("Nobody takes part yet. fathom review person NAME lets somebody in.")
    else:
        for one in people:
            console.print(plain(f"{one.name}: {one.role}{', left' if one.has_left else ''}"))


def show_figures(told: dict[str, Any]) -> None:
    """The figures that matter most; JSON has all."""
    console.print(plain(f"{told['project']}: {told['items']:,} items, {_listed(told['states'])}"))
    if results := told.get("results"):
        _show_results(results)
    if told["right"]:
        console.print("As it was decided, of each one's responses:")
        for name, rate in told["right"].items():
            console.print(plain(f"  {name}: {_share(rate)}"))
    if told["labels"]:
        table = _table("", "N", "alike", "alpha", "95 % interval", "AC1")
        for asked, one in told["labels"].items():
            interval = one["alpha"]["interval"]
            table.add_row(
                plain(asked), str(one["n"]), _number(one["exact"]["value"]), _number(one["alpha"]["value"]),
                f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "", _number(one["ac1"]["value"]),
            )  # fmt: skip
        console.print(table)
        for asked, one in told["labels"].items():
            _show_off(asked, one)
        console.print("Lines to see by: 0.61, 0.667 and 0.8.", style="dim")
    if note := told.get("note"):
        console.print(plain(f"Note: {note}."), style="dim")


def _show_results(results: dict[str, Any]) -> None:
    console.print(plain(f"Pairs with equal results: {_share(results['pairs'])}"))
    luck = results["equal_by_luck"]
    if luck:
        console.print(f"  {luck:,} more are equal on the database, and differ on changed copies of it")
    console.print(plain(f"  the same text: {_share(results['same_text'])}"))
    for by in ("by_database", "by_difficulty", "by_annotator"):
        if len(results[by]) > 1:
            for name, rate in results[by].items():
                console.print(plain(f"  {by.replace('_', ' ')} {name}: {_share(rate)}"))


def _show_off(asked: str, told: dict[str, Any]) -> None:
    """Without whom the others agree most, where that is more than with all."""
    left = {name: alpha for name, alpha in told["without"].items() if alpha is not None}
    whole = told["alpha"]["value"]
    if left and whole is not None and max(left.values()) > whole:
        name = max(left, key=lambda one: left[one])
        console.print(plain(f"  {asked}: without {name} alpha would be {left[name]:.3f}"))


def _share(rate: dict[str, Any]) -> str:
    if rate["value"] is None:
        return "not defined"
    low, high = rate["interval"]
    return f"{rate['value']:.1%} ({low:.1%} to {high:.1%}), N = {rate['n']:,}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _table(*names: str) -> Table:
    table = bare_table()
    for name in names:
        table.add_column(name)
    return table


def show_settled(came: Mapping[str, int]) -> None:
    """Print the items that the machine settled, if there are any."""
    if came:
        console.print(plain(f"Settled: {', '.join(f'{n:,} {what}' for what, n in came.items())}."))
