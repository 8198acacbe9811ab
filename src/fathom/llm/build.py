"""Making pydantic-ai's models: each provider's library is imported only where that provider is asked."""

import logging
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model

from fathom.errors import ModelNotConfigured
from fathom.llm.keys import is_key_variable, redact_error, remember_key
from fathom.llm.providers import AZURE_VERSION, Provider
from fathom.llm.reported import KeepingTransport
from fathom.llm.sender import Pace

if TYPE_CHECKING:
    from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel

AnyModel = Model[Any]


def make_http(pace: Pace) -> httpx2.AsyncClient:
    """The client that a provider's library sends with."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(pace.seconds, connect=min(10.0, pace.seconds)),
        transport=KeepingTransport(limits=httpx2.Limits(max_connections=pace.concurrency + 4)),
        # Bodies come uncompressed, so that what is kept of one that breaks off can be read.
        headers={"accept-encoding": "identity"},
    )


def make_model(
    provider: Provider, name: str, http: httpx2.AsyncClient, pace: Pace, *, key: str = ""
) -> AnyModel:
    """A model for conversations, by the `key` that is given or else the one in the environment.

    Raises `ImportError` where the provider's library is missing, `ModelNotConfigured` where what
    is set for Azure or AWS can't be used.
    """
    variable = provider.key_variable()
    given = key or (os.environ[variable] if variable else None)
    if variable and given and is_key_variable(variable):  # the name of a profile of AWS is no secret
        remember_key(given)
    if provider.protocol == "bedrock":  # its library brings its own HTTP client
        return _bedrock(provider, name, pace)
    model = _MAKERS[provider.protocol](provider, name, given, http)
    client: Any = model.provider.client if model.provider else None
    if hasattr(client, "max_retries"):
        # Asking again is for `sending` alone. As a setting of requests it would copy the client each time.
        client.max_retries = 0
    return model


def make_embedding_model(
    provider: Provider, name: str, http: httpx2.AsyncClient, pace: Pace
) -> "OpenAIEmbeddingModel":
    """A model for embeddings. Raises `ModelNotConfigured` for providers without OpenAI's protocol."""
    from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    if provider.protocol not in {"openai", "azure", "compatible"}:
        raise ModelNotConfigured(
            f"Embeddings come from OpenAI, Azure or an OpenAI-compatible server, not from {provider.title}."
        )
    made = make_model(provider, name, http, pace).provider
    assert made is not None
    return OpenAIEmbeddingModel(name, provider=OpenAIProvider(openai_client=made.client))


def _openai(provider: Provider, name: str, key: str | None, http: httpx2.AsyncClient) -> AnyModel:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    return OpenAIChatModel(name, provider=OpenAIProvider(api_key=key, http_client=http))


def _responses(provider: Provider, name: str, key: str | None, http: httpx2.AsyncClient) -> AnyModel:
    from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    return OpenAIResponsesModel(name, provider=OpenAIProvider(api_key=key, http_client=http))


def _compatible(provider: Provider, name: str, key: str | None, http: httpx2.AsyncClient) -> AnyModel:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    address = provider.address()
    made = OpenAICompatibleProvider(provider.name, base_url=address, api_key=key, http_client=http)
    return OpenAIChatModel(name, provider=made)


def _anthropic(provider: Provider, name: str, key: str | None, http: httpx2.AsyncClient) -> AnyModel:
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    return AnthropicModel(name, provider=AnthropicProvider(api_key=key, http_client=http))


def _google(provider: Provider, name: str, key: str | None, http: httpx2.AsyncClient) -> AnyModel:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    assert key is not None
    address = provider.address() or None
    return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=address, http_client=http))


def _azure(provider: Provider, name: str, key: str | None, http: httpx2.AsyncClient) -> AnyModel:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.azure import AzureProvider  # noqa: PLC0415

    address = _azure_endpoint(provider.address())
    try:
        made = AzureProvider(azure_endpoint=address, api_key=key, http_client=http)
    except UserError:
        raise ModelNotConfigured(
            f"{provider.title} can't be asked: set {AZURE_VERSION}, "
            f"or let {provider.url_variable} end in /openai/v1."
        ) from None
    return OpenAIChatModel(name, provider=made)


def _azure_endpoint(address: str) -> str:
    """A resource's address where a version is named, else that of its API without versions."""
    bare = not urlsplit(address).path.strip("/")
    serverless = (urlsplit(address).hostname or "").endswith(".models.ai.azure.com")
    if bare and not serverless and not os.environ.get(AZURE_VERSION):
        return address.rstrip("/") + "/openai/v1"
    return address


def _bedrock(provider: Provider, name: str, pace: Pace) -> AnyModel:
    import boto3  # noqa: PLC0415
    from botocore.config import Config  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415
    from pydantic_ai.models.bedrock import BedrockConverseModel  # noqa: PLC0415
    from pydantic_ai.providers.bedrock import BedrockProvider  # noqa: PLC0415

    config = Config(
        # The library would ask again by itself, unseen by pace and count, and wait on in its thread for a
        # reply that was given up.
        retries={"total_max_attempts": 1},
        connect_timeout=min(10.0, pace.seconds),
        read_timeout=pace.seconds,
        max_pool_connections=pace.concurrency + 4,
    )
    log = logging.getLogger("botocore")
    if log.level == logging.NOTSET:  # below INFO it logs requests' headers, and keys with them
        log.setLevel(logging.INFO)
    try:
        client = boto3.Session().client(
            "bedrock-runtime", config=config, endpoint_url=provider.address() or None
        )
    except (BotoCoreError, ValueError) as error:  # no such profile, an address that is none
        raise ModelNotConfigured(f"{provider.title} can't be asked: {redact_error(str(error))}") from None
    return BedrockConverseModel(name, provider=BedrockProvider(bedrock_client=client))


_MAKERS = {
    "openai": _openai,
    "openai-responses": _responses,
    "compatible": _compatible,
    "anthropic": _anthropic,
    "google": _google,
    "azure": _azure,
}
