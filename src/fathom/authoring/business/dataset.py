"""The questions as a benchmark, with the statistics of the paper's second table."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.authoring.journal import Item
from fathom.authoring.maker import Production
from fathom.authoring.publication import (
    QUESTIONS,
    STATISTICS,
    DataCard,
    DataSource,
    counted,
    seen_from,
    write_card,
    write_json,
    write_lines,
)


@dataclass(frozen=True)
class BusinessPublishing:
    """The function that writes the benchmark of business questions."""

    databases: tuple[str, ...]
    licence: str
    seed: int

    def __call__(self, production: Production) -> Mapping[str, Any]:
        """Write the questions and the card; gives the statistics."""
        kept = list(production.finished())
        write_lines(production.folder / QUESTIONS, (_question(i, production.folder) for i in kept))
        counts = {
            "category": counted(i["category"] for i in kept),
            "complexity": counted(i["complexity"] for i in kept),
            "database": counted(Path(i["database"]).stem for i in kept),
        }
        found = {
            "questions": len(kept),
            "databases": len({i["database"] for i in kept}),
            "reviewed": sum(bool(i.get("reviewed")) for i in kept),
            **{f"by_{name}": values for name, values in counts.items()},
            "by_tables": counted(f"{len(i['tables'])} tables" for i in kept),
            "rejected": {
                n: c["given"] - c["kept"] for n, c in production.counts().items() if c["given"] > c["kept"]
            },
        }
        write_json(production.folder / STATISTICS, found)
        write_card(
            production,
            DataCard(
                title="Business questions",
                about=f"{len(kept)} questions in four categories and three complexities, over "
                f"{found['databases']} databases.",
                sources=[DataSource(Path(n).name, "a database", self.licence) for n in self.databases],
                tables=counts,
                repeat=f"fathom author business {' '.join(self.databases)} --seed {self.seed} "
                f"-o {production.folder.name}",
            ),
        )
        return found


def _question(item: Item, folder: Path) -> dict[str, Any]:
    told = {
        "id": item["id"],
        "question": item["question"],
        "category": [item["category"]],
        "complexity": item["complexity"],
        "tables": item["tables"],
        "database": seen_from(folder, item["database"]),
    }
    if item.get("gold") or item.get("added"):
        return told | {name: item[name] for name in ("sql", "gold") if item.get(name)}
    # The rows of the others are figures for an answer in words, and no gold.
    return told | ({"figures": item["sql"]} if item.get("sql") else {})
