"""Making models from their names."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from fathom.errors import CassetteError, ConfigError, MissingExtra
from fathom.llm.budget import Budget
from fathom.llm.cassette import Cassette
from fathom.llm.exchange import Exchange
from fathom.llm.local import NAME as LOCAL
from fathom.llm.local.catalogue import find_local, not_fetched, preferred
from fathom.llm.model import Model
from fathom.llm.providers import Provider, check_configured, find_provider
from fathom.llm.sender import PACE, Attempt, Pace, Sender


@dataclass(frozen=True, slots=True)
class Opened:
    """An exchange over a provider, a cassette or both, and how it is closed."""

    exchange: Exchange
    close: Callable[[], None]


def open_model(
    name: str, *, pace: Pace = PACE, cassette: Path | str | None = None, replay: bool = False
) -> Model:
    """The model `provider:name`, or `http://host:port/v1#name`; keys and addresses come from the environment.

    `local` is the preferred one of the models that were fetched to this machine.

    With a `cassette` every exchange is recorded, and what is on it already isn't asked again; with `replay`
    it answers alone, without keys or a network. Nothing is sent before the model is asked.
    Raises `ModelNotConfigured`, `MissingExtra`, `CassetteError`.
    """
    name = in_full(name)
    provider, _ = find_provider(name)
    opened = open_exchange(lambda: provided(name, pace), cassette=cassette, replay=replay)
    return Model(
        name,
        opened.exchange,
        tools=provider.tools,
        several=provider.several,
        closing=opened.close,
        recorded=cassette is not None,
    )


def in_full(name: str) -> str:
    """The name of a model, with the one that `local` alone stands for. Raises `ModelNotConfigured`."""
    return f"{LOCAL}:{preferred().name}" if name == LOCAL else name


class Opening(TypedDict, total=False):
    """How a model of words or of meaning is opened."""

    cassette: Path | str | None
    replay: bool
    budget: Budget | None
    pace: Pace


class ModelOpening(Opening, total=False):
    """How a model of words is opened and asked."""

    seed: int | None
    reply_tokens: int | None


@overload
def opened_model(model: str | Model, **opening: Unpack[ModelOpening]) -> AbstractContextManager[Model]: ...


@overload
def opened_model(
    model: str | Model | None, **opening: Unpack[ModelOpening]
) -> AbstractContextManager[Model | None]: ...


@contextmanager
def opened_model(
    model: str | Model | None,
    *,
    cassette: Path | str | None = None,
    replay: bool = False,
    budget: Budget | None = None,
    pace: Pace = PACE,
    seed: int | None = None,
    reply_tokens: int | None = None,
) -> Iterator[Any]:
    """The model given by its name, closed at the end; one given opened stays open, and None stays None.

    What is given counts against `budget` where there is one, is sent `seed`, and may take `reply_tokens` for
    each reply. Raises as `open_model`, and `ConfigError` for a cassette without a model's name.
    """
    if not isinstance(model, str) and (cassette is not None or replay):
        raise ConfigError("A cassette goes with the name of a model: --model provider:name.")
    with ExitStack() as closing:
        if isinstance(model, str):
            model = closing.enter_context(open_model(model, pace=pace, cassette=cassette, replay=replay))
        if model is not None:
            model = model.drawing(seed=seed, reply_tokens=reply_tokens)
        yield model.within(budget) if model is not None and budget is not None else model


def open_exchange(
    connect: Callable[[], Opened], *, cassette: Path | str | None, replay: bool = False
) -> Opened:
    """Open `connect`'s exchange, over a cassette where there is one; with `replay` the cassette alone."""
    if replay:
        if cassette is None:
            raise CassetteError("To replay, name the cassette.")
        recorded = Cassette(cassette, replay=True)
        return Opened(recorded.replay, recorded.close)
    asked = connect()
    if cassette is None:
        return asked
    recording = Cassette(cassette)

    def close() -> None:
        asked.close()
        recording.close()

    return Opened(recording.record(asked.exchange), close)


def provided(name: str, pace: Pace, *, embeddings: bool = False) -> Opened:
    """A provider's model, for conversations or for embeddings. Raises as `open_model`."""
    provider, model = find_provider(name)
    check_configured(provider)
    if provider.name == LOCAL and not embeddings:
        return _on_this_machine(name, model, pace)
    sender = Sender(name, _connection(provider, model, pace, embeddings), pace)
    return Opened(sender, sender.close)


def _on_this_machine(name: str, model: str, pace: Pace) -> Opened:
    found = find_local(model)
    if not found.is_fetched:
        raise not_fetched(found)
    try:
        from fathom.llm.local.connection import LocalConnection, local_pace  # noqa: PLC0415
    except ImportError as error:
        missing = (error.name or "pydantic_ai").partition(".")[0]
        raise MissingExtra("A model on this machine", missing, LOCAL) from None
    sender = Sender(name, LocalConnection(model, local_pace(pace)), local_pace(pace))
    return Opened(sender, sender.close)


def _connection(provider: Provider, model: str, pace: Pace, embeddings: bool) -> Attempt:
    try:
        from fathom.llm.attempt import Connection, EmbeddingConnection  # noqa: PLC0415

        return EmbeddingConnection(provider, model, pace) if embeddings else Connection(provider, model, pace)
    except ImportError as error:
        missing = (error.name or "pydantic_ai").partition(".")[0]
        raise MissingExtra("Asking a language model", missing, "models") from None
