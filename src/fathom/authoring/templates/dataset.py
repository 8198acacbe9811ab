"""The triples as a benchmark: questions, results, splits by template, a fixed sample, and figures."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlglot import tokenize

from fathom.authoring.journal import Item
from fathom.authoring.maker import Production
from fathom.authoring.publication import (
    QUESTIONS,
    STATISTICS,
    DataCard,
    DataSource,
    seen_from,
    write_card,
    write_json,
    write_lines,
)
from fathom.authoring.templates.template_file import TemplateSet

_FILES = (
    "`test.jsonl` holds all questions of a fifth of the templates, `train.jsonl` the others,",
    "`sample.jsonl` a sample drawn by the seed, `results.jsonl` the rows of every query.",
)
TESTED = 0.2
"""The share of templates whose questions are for testing."""


@dataclass(frozen=True)
class Publishing:
    """The function that writes the benchmark; `sample` is the number of questions in the fixed sample.

    With `evidence` questions come with what their templates leave out.
    """

    templates: TemplateSet
    database: str
    seed: int
    sample: int
    evidence: bool = False

    def __call__(self, production: Production) -> Mapping[str, Any]:
        """Write everything, one triple at a time; gives the figures."""
        folder = production.folder
        written = partial(self._question, seen_from(folder, self.database))
        figures = _Figures(self.templates.dialect)
        write_lines(folder / QUESTIONS, map(written, figures.counting(production.finished())))
        write_lines(folder / "results.jsonl", map(_result, production.finished()))
        tested = self._tested(sorted(figures.by_template))
        splits = {}
        for split, wanted in (("test", True), ("train", False)):
            items = (i for i in production.finished() if (i["template"] in tested) is wanted)
            splits[split] = write_lines(folder / f"{split}.jsonl", map(written, items))
        chosen = self._sampled(figures.by_template)
        sample = (i for place, i in enumerate(production.finished()) if place in chosen)
        splits["sample"] = write_lines(folder / "sample.jsonl", map(written, sample))
        found = {**figures.told(self.templates), "splits": splits}
        rejected = {i["id"]: i["rejected"] for i in production.made("check") if i.get("rejected")}
        write_json(folder / STATISTICS, {**found, "templates_rejected": rejected})
        self._card(production, found)
        return {**found, **({"templates_rejected": rejected} if rejected else {})}

    def _tested(self, templates: list[str]) -> set[str]:
        roll = random.Random(f"{self.seed} split")
        return set(roll.sample(templates, round(TESTED * len(templates)))) if len(templates) > 1 else set()

    def _sampled(self, by_template: Mapping[str, int]) -> set[int]:
        """The places of the fixed sample, drawn by the seed from all."""
        total = sum(by_template.values())
        return set(random.Random(f"{self.seed} sample").sample(range(total), min(self.sample, total)))

    def _question(self, database: str, item: Item) -> dict[str, Any]:
        template = next(t for t in self.templates.templates if t.id == item["template"])
        return {
            "id": item["id"],
            "question": item["question"],
            "category": [*template.sql_categories, *template.categories, *template.reasoning],
            "template": item["template"],
            "tables": item["tables"],
            "database": database,
            "sql": item["sql"],
            "answer": item["answer"],
            **({"evidence": template.context} if self.evidence else {}),
        }

    def _card(self, production: Production, found: Mapping[str, Any]) -> None:
        tables = {n: found[n] for n in ("by_sql_category", "by_category", "by_reasoning", "by_template")}
        write_card(
            production,
            DataCard(
                title=f"Questions from templates: {self.templates.name}",
                about=f"{found['triples']:,} questions, each with its query, its rows and an answer in "
                f"words; {found['negative_share']:.1%} of the answers say that there is none. "
                f"{self.templates.description}",
                sources=[
                    DataSource(self.templates.name, "the file of templates", self.templates.licence),
                    DataSource(self.database, "the database asked", _licence(self.database)),
                ],
                tables=tables,
                repeat=f"fathom author templates {self.templates.name} --database {self.database} "
                f"--seed {self.seed} {'--evidence given ' * self.evidence}-o {production.folder.name}",
                notes=_FILES,
            ),
        )


def _licence(database: str) -> str:
    return "made from a seed, free to use" if database.startswith("demo:") else ""


def _result(item: Item) -> dict[str, Any]:
    return {"id": item["id"], "columns": item["columns"], "rows": item["rows"]}


class _Figures:
    """Figures that are counted while the triples go by."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self.by_template: Counter[str] = Counter()
        self._negative = self._tokens = 0

    def counting(self, items: Iterator[Item]) -> Iterator[Item]:
        """The items as they come."""
        for item in items:
            self.by_template[item["template"]] += 1
            self._negative += bool(item["negative"])
            # As SQL has them; the published mean of 96.4 counts pieces of words of a model's tokenizer.
            self._tokens += len(tokenize(item["sql"], read=self._dialect))
            yield item

    def told(self, known: TemplateSet) -> dict[str, Any]:
        """The figures of the whole."""
        total = sum(self.by_template.values())
        counts: dict[str, Counter[str]] = {n: Counter() for n in ("sql_category", "category", "reasoning")}
        for template in known.templates:
            n = self.by_template[template.id]
            groups = (template.sql_categories, template.categories, template.reasoning)
            for name, values in zip(counts, groups, strict=True):
                counts[name].update({value: n for value in values if n})
        return {
            "triples": total,
            "templates": len(self.by_template),
            "negative_share": self._negative / total if total else 0.0,
            "mean_sql_tokens": round(self._tokens / total, 1) if total else 0.0,
            **{f"by_{name}": dict(found.most_common()) for name, found in counts.items()},
            "by_template": dict(self.by_template.most_common()),
        }
