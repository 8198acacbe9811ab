"""Making a model from its name."""

from fathom.errors import MissingExtra
from fathom.llm.model import Model
from fathom.llm.providers import check_configured, find_provider
from fathom.llm.sending import PACE, Pace, Sender


def open_model(name: str, *, pace: Pace = PACE) -> Model:
    """The model `provider:name`, or `http://host:port/v1#name`; keys and addresses come from the environment.

    Nothing is sent before it is asked. Raises `ModelNotConfigured`, `MissingExtra`.
    """
    provider, model = find_provider(name)
    check_configured(provider)
    try:
        from fathom.llm.connecting import Connection  # noqa: PLC0415

        connection = Connection(provider, model, pace)
    except ImportError as error:
        missing = (error.name or "pydantic_ai").partition(".")[0]
        raise MissingExtra("Asking a language model", missing, "models") from None
    sender = Sender(name, connection, pace)
    return Model(name, sender, tools=provider.tools, closing=sender.close)
