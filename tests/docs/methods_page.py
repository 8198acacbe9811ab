"""`docs/methods.md` is made from what is registered: `make docs` writes it, a test holds it up to date."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from fathom import registry
from fathom.methods import Method
from fathom.nl2sql.strategies import STRATEGIES, strategies_by_module

PAGE = Path(__file__).parents[2] / "docs" / "methods.md"
INTRO = """# Methods

A method is a sequence of steps from a question to SQL. `offline` needs no language model; the others ask
one, named with `--model` ([models](models.md)). All of them run the same way, and are measured the same way
([measuring](measuring.md)):

```console
$ fathom ask genes.db "Which genes are long?" --method dail-sql --model openai:gpt-4o-mini
$ fathom evaluate spider --method din-sql --model ollama:qwen3 --limit 100 --max-cost 2 --cassette tape.jsonl
$ fathom methods show adaptive
```

## Compose one

A TOML file names registered steps (`fathom methods steps`) and sets what they take; its path stands where a
method's name does, as in `--method mine.toml`:

```toml
name = "mine"
summary = "One prompt with what is known of each column, fixed where it fails."

[[steps]]
step = "continue_select"
style = "commented"

[[steps]]
step = "mend_failed"
turns = 1
```

Another package registers methods under the entry point `fathom.methods`, and modules of steps under
`fathom.steps`; a step has the name of its function. A step is a function
`async (draft, context, *, setting=default) -> draft` with the decorator `fathom.methods.step`.

## What is faithful and what isn't

The published methods are rebuilt from their papers and code, prompts in our own words. They keep the
published calls, temperatures, votes and fallbacks. Plain bugs of the originals are off (the quirks below
bring them back), loops are bounded, a reply that can't be read leaves the query that stood before, and
nothing that a reply says raises an error. Where an embedding model was used, `--embeddings` names one
([models](models.md)); without it likeness of words and spelling stands in, and the trace says so. What
differs on purpose stands [below](#departures). So figures measured here are those of the idea, not a
reproduction of the published figure.

## Our own: local

`local` is for a small model on your own machine ([models](models.md)), and the method where one is named.
The model reads, the program knows: the [offline method](offline.md) links the question's words to tables,
columns and values and gives its candidates; the model is shown the schema (the tables that matter of a
large one), the values that the question spells otherwise, and the question, and writes one query, or
`samples` of them, under a grammar in which no other table or column can be named. A query that fails is
mended by the schema. All are run, and one ranking over both weighs each result: how sure `offline` is, how
likely the model's words were, whether both give it, whether its shape fits. It is learned from replies of a
real model, on databases apart (`python -m training.local_ranking`). The answer is sure where nine of ten
such were right; else up to three results are shown, and where nothing speaks for any, the question is
declined. Where `offline` is sure and the model reads otherwise, the answer is less sure.

It works with any model: `--method local --model ollama:qwen3`. Without a grammar, which only models that
Fathom runs itself have, the repair does the rest.

## Our own: adaptive

`adaptive` spends a model's tokens where they are needed. The [offline method](offline.md) goes first;
where it is sure, no model is asked at all. Elsewhere the model sees only the tables that the offline
method linked or its queries read, and writes one candidate, which is run at once. If its result fits
the question and is one that the offline method thought of, that is enough; if not, it writes another,
up to three, until two agree. A question that names many tables or values, asks for aggregates, or meets a
wide schema is challenging: up to five candidates are written, by turns by a prompt that has the model reason
and by one that has it plan, over another form of the schema. A result fits where its shape is what the words
ask for: a number for "how many", as many columns as things are listed, at most five rows for a "top five", a
time for "when", a name for "who". After a candidate that fails or gives no
rows, the next is written on a wider selection: with tables and columns that the query named in vain,
and columns that hold the values it looked for. A query that ran and fits the question is replaced only
on evidence of a better kind ([decisions](decisions.md)). Where two readings give different results and
neither is likelier than not, you are asked which one you meant.

Where more than 120 columns remain, a model first names those needed. `fathom ask` remembers what it
named, so that the same question in another order of words or with other values costs nothing there;
with `--cassette` and in `fathom evaluate` nothing is remembered, so that runs repeat. What is
remembered lies in the folder `selections` of the cache (`fathom --version` says where) and can be
deleted at any time.

The confidence at the end is calibrated, but on a *simulated* model over questions of Spider, sql-eval,
GeoQuery and BIRD: no real one was at hand. It is judged on databases that had no part in that
([figures](figures.md)). It can't know how good your model is: for one that is right
on nine questions of ten it says too little, for one that is right on three of ten too much. Before you
rely on it, compare it with a run of your own: `fathom report` draws confidence against correctness.

## Every method

Calls are requests to a model for one question, step by step.

| method | modules | calls | what it does | from |
|---|---|---|---|---|
"""
STRATEGY_TABLE = """
## Strategies

What each method does in each of NL2SQLBench's modules, read from its steps; `fathom methods strategies`
prints the same, with `--json` too.

| method | selection | generation | revision |
|---|---|---|---|
"""
EXPLAINED = """
| strategy | what it is |
|---|---|
"""
DEPARTURES = """
## Departures

In what methods differ from what was published, on purpose; [decisions](decisions.md) says why. `fathom
methods show NAME` tells it too.

| method | departure |
|---|---|
"""
QUIRKS = """
## Quirks

What is plainly a fault of published code, and changes its figures, is off. `NAME+QUIRK` switches one on where
a method's name stands, as in `--method c3+longer_lists_weigh_more`, and `NAME+quirks` all of them; a TOML
file sets them as any other setting. The name of a run says which were on.

| methods | quirk | what it does |
|---|---|---|
"""


def text() -> str:
    """The page as it should be."""
    names = registry.names("methods")
    return (
        INTRO
        + "".join(map(_row, names))
        + STRATEGY_TABLE
        + "".join(map(_strategies, names))
        + EXPLAINED
        + "".join(f"| {name} | {about} |\n" for name, about in STRATEGIES.items())
        + DEPARTURES
        + "".join(_departures(names))
        + QUIRKS
        + "".join(_quirks(names))
    )


def _row(name: str) -> str:
    method = registry.load("methods", name)
    if not isinstance(method, Method):
        return f"| `{name}` | | | | |\n"
    modules = dict.fromkeys(s.module for s in method.steps)
    calls = " + ".join(s.calls_shown for s in method.steps if s.asks_model) or "none"
    cells = (f"`{name}`", ", ".join(modules), calls, method.summary, method.provenance or "Fathom")
    return f"| {' | '.join(cells)} |\n"


def _strategies(name: str) -> str:
    method = registry.load("methods", name)
    found = strategies_by_module(method) if isinstance(method, Method) else {}
    told = (", ".join(found.get(module, ())) for module in ("selection", "generation", "revision"))
    return f"| `{name}` | {' | '.join(told)} |\n"


def _departures(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if departures := getattr(registry.load("methods", name), "departures", ""):
            yield f"| `{name}` | {departures} |\n"


def _quirks(names: Iterable[str]) -> Iterator[str]:
    """A row for each quirk with all the methods that have it."""
    having: dict[tuple[str, str], list[str]] = {}
    for name in names:
        method = registry.load("methods", name)
        for quirk in method.quirks.items() if isinstance(method, Method) else ():
            having.setdefault(quirk, []).append(f"`{name}`")
    for (switch, does), methods in having.items():
        yield f"| {', '.join(methods)} | `{switch}` | {does} |\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
