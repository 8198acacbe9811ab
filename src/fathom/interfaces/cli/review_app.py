"""The parts that every `fathom review` command shares: the application, and the file of people's work."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cyclopts import App, Parameter

from fathom.authoring.annotation.store import Reviews
from fathom.authoring.annotation.workbench import Workbench
from fathom.config import read_settings
from fathom.interfaces.cli.display import notices, plain
from fathom.interfaces.cli.options import USUAL

review = App(
    name="review",
    help="Have people annotate and rate independently; measure how far they agree.",
    help_format="plaintext",
    default_parameter=USUAL,
)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Kept:
    """Where people's work is kept."""

    store: Path | None = None
    """The file; without it review.sqlite beside the answers that are kept (FATHOM_STORE)."""


HERE = Kept()


@contextmanager
def opened(kept: Kept) -> Iterator[tuple[Reviews, Workbench]]:
    """The file of people's work, and where their queries run."""
    settings = read_settings()
    with ExitStack() as held:
        reviews = held.enter_context(Reviews(kept.store or settings.review))
        yield reviews, held.enter_context(Workbench(settings))


def tell_problems(problems: Sequence[str]) -> int:
    """Tell what could not be taken; the exit code that says so."""
    for problem in problems:
        notices.print(plain(problem), soft_wrap=True)
    return 1 if problems else 0
