"""Making a model from its name."""

from pathlib import Path

from fathom.errors import CassetteError, MissingExtra
from fathom.llm.cassette import Cassette
from fathom.llm.model import Model
from fathom.llm.providers import Provider, check_configured, find_provider
from fathom.llm.sending import PACE, Pace, Sender


def open_model(
    name: str, *, pace: Pace = PACE, cassette: Path | str | None = None, replay: bool = False
) -> Model:
    """The model `provider:name`, or `http://host:port/v1#name`; keys and addresses come from the environment.

    With a `cassette` every exchange is recorded, and what is on it already isn't asked again; with `replay`
    it answers alone, without keys or a network. Nothing is sent before the model is asked.
    Raises `ModelNotConfigured`, `MissingExtra`, `CassetteError`.
    """
    provider, model = find_provider(name)
    if replay:
        if cassette is None:
            raise CassetteError("To replay, name the cassette.")
        recorded = Cassette(cassette, replay=True)
        return Model(name, recorded.replay, tools=provider.tools, closing=recorded.close)
    sender = _sender(name, provider, model, pace)
    if cassette is None:
        return Model(name, sender, tools=provider.tools, closing=sender.close)
    recording = Cassette(cassette)

    def close() -> None:
        sender.close()
        recording.close()

    return Model(name, recording.record(sender), tools=provider.tools, closing=close)


def _sender(name: str, provider: Provider, model: str, pace: Pace) -> Sender:
    check_configured(provider)
    try:
        from fathom.llm.connecting import Connection  # noqa: PLC0415

        connection = Connection(provider, model, pace)
    except ImportError as error:
        missing = (error.name or "pydantic_ai").partition(".")[0]
        raise MissingExtra("Asking a language model", missing, "models") from None
    return Sender(name, connection, pace)
