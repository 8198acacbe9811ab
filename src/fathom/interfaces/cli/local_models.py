"""`fathom models fetch` and `remove`, and what is told of models on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from fathom.errors import FathomError
from fathom.interfaces.cli.display import bare_table, console, notices, plain
from fathom.llm.local.catalogue import LocalModel, catalogue, find_local, preferred
from fathom.llm.local.fetching import fetch
from fathom.llm.local.removing import remove
from fathom.llm.local.speed import Speed, known_speed, measure_speed


def fetch_model(name: str | None, source: str) -> None:
    """Fetch a model's file, the preferred one's where none is named, and say how fast it is here."""
    model = find_local(name) if name else next(iter(catalogue().values()))
    if model.is_fetched:
        console.print(plain(f"{model.name} is here already: {model.path}"), soft_wrap=True)
    else:
        with _progress(model) as shown:
            fetch(model, source, shown)
        console.print(plain(f"{model.name} ({model.licence}) is in {model.path}"), soft_wrap=True)
    if speed := _measured(model):
        console.print(plain(_in_words(speed)), soft_wrap=True)
    console.print(f"Ask it: fathom ask DATABASE QUESTION --model local:{model.name}", markup=False)


def remove_model(name: str) -> None:
    """Delete a model's file and what was kept for it."""
    model = find_local(name)
    freed = remove(model)
    console.print(f"{model.name}: {freed / 1e9:.2f} GB freed." if freed else f"{model.name} isn't here.")


def described_models() -> list[dict[str, Any]]:
    """Describe each model as JSON values; its speed where that was measured."""
    chosen = next((m for m in catalogue().values() if m.is_fetched), None)
    return [_described(m, m is chosen) for m in catalogue().values()]


def show_models() -> None:
    """Show a table of the models, and measure those that are here and weren't measured before."""
    grid = bare_table()
    for heading in ("on this machine", "", "size", "memory", "speed"):
        grid.add_column(heading, overflow="fold")
    for model in catalogue().values():
        speed = _measured(model) if model.is_fetched else None
        state = "here" if model.is_fetched else f"fathom models fetch {model.name}"
        here = f"local:{model.name}" + (", also local" if model.is_fetched and model == preferred() else "")
        size, memory = f"{model.size / 1e9:.2f} GB", f"{model.memory / 1e9:.2f} GB"
        grid.add_row(*map(plain, (here, f"{model.licence}, {state}", size, memory, _in_words(speed))))
    console.print(grid)


def _described(model: LocalModel, is_preferred: bool) -> dict[str, Any]:
    speed = known_speed(model)
    return {
        "name": f"local:{model.name}",
        "title": model.title,
        "licence": model.licence,
        "fetched": model.is_fetched,
        "preferred": is_preferred,
        "file": str(model.path),
        "bytes": model.size,
        "memory_bytes": model.memory,
        "prompt_tokens_a_second": speed.prompt if speed else None,
        "reply_tokens_a_second": speed.reply if speed else None,
    }


def _measured(model: LocalModel) -> Speed | None:
    """The speed here, measured where that wasn't done yet; None where the model can't be run."""
    if speed := known_speed(model):
        return speed
    try:
        with notices.status(f"Measuring how fast {model.name} is here, once ..."):
            return measure_speed(model)
    except FathomError as error:
        notices.print(plain(str(error)), soft_wrap=True)
        return None


def _in_words(speed: Speed | None) -> str:
    return f"reads {speed.prompt:.0f}, writes {speed.reply:.0f} tokens a second" if speed else ""


@contextmanager
def _progress(model: LocalModel) -> Iterator[Any]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=notices, transient=True, disable=not notices.is_terminal) as bar:
        task = bar.add_task(model.name, total=model.size)
        yield lambda done, of: bar.update(task, completed=done, total=of)
