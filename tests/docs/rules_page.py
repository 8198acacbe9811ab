"""The tables of `docs/rules.md` are made from the rules: `make docs` writes them, a test checks that."""

from collections.abc import Iterator
from pathlib import Path

from fathom.offline.rules import ROOMS

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
TABLES = "\n## Every rule\n"


def text() -> str:
    """The page as it should be: with these tables at its end."""
    written = PAGE.read_text(encoding="utf-8")
    return written[: written.index(TABLES) + len(TABLES)] + "".join(_tables())


def _tables() -> Iterator[str]:
    for room, rules in ROOMS.items():
        yield f"\n### {room}\n\n| rule | example | asked of |\n|---|---|---|\n"
        for rule in rules:
            yield f"| `{rule.name}` | {rule.example} | {rule.database} |\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
