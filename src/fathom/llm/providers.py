"""The providers by name, and what each needs from the environment; shows no key's value."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from fathom.errors import ModelNotConfigured, did_you_mean

Protocol = Literal["openai", "openai-responses", "anthropic", "google", "azure", "bedrock", "compatible"]
ADDRESS_KEY = "FATHOM_MODEL_KEY"
LOCAL_ONLY = "FATHOM_LOCAL_MODELS_ONLY"
AZURE_VERSION = "OPENAI_API_VERSION"


@dataclass(frozen=True, slots=True)
class Provider:
    """Where models are asked. One of the variables `keys` must hold a key, `settings` must all be set.

    `url` is the address of a compatible server where `url_variable` doesn't give another. `prices` is the
    provider's name in genai-prices, empty where no price can be known. `tools` says that its models are asked
    for typed values as tool calls; others get the JSON schema in the prompt, which every model can read.
    `several` says that one request may ask for several replies; a server that then gives one is asked again.
    `grammars` says that its models can be held to a grammar.
    """

    name: str
    title: str
    protocol: Protocol
    keys: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    url: str = ""
    url_variable: str = ""
    prices: str = ""
    tools: bool = True
    several: bool = False
    grammars: bool = False

    def key_variable(self, environment: Mapping[str, str] = os.environ) -> str | None:
        """The variable that holds the key, or None."""
        return next((k for k in self.keys if environment.get(k)), None)

    def missing(self, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
        """List the settings that are still missing, each as a person reads it."""
        lacking = [s for s in self.settings if not environment.get(s)]
        if self.keys and not self._key_optional and self.key_variable(environment) is None:
            lacking.insert(0, " or ".join(self.keys))
        return tuple(lacking)

    def address(self, environment: Mapping[str, str] = os.environ) -> str:
        """The server's address, empty where the provider's own library knows it."""
        return environment.get(self.url_variable, "") or self.url if self.url_variable else self.url

    @property
    def _key_optional(self) -> bool:
        """Servers of one's own mostly take no key; Bedrock also takes AWS profiles and roles."""
        return not self.tools or self.protocol == "bedrock"


_AWS = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE")
PROVIDERS: Mapping[str, Provider] = {
    p.name: p
    for p in (
        Provider("openai", "OpenAI (chat)", "openai", ("OPENAI_API_KEY",), prices="openai",
                 url_variable="OPENAI_BASE_URL", several=True),
        Provider("openai-responses", "OpenAI (responses)", "openai-responses", ("OPENAI_API_KEY",),
                 prices="openai", url_variable="OPENAI_BASE_URL"),
        Provider("anthropic", "Anthropic", "anthropic", ("ANTHROPIC_API_KEY",), prices="anthropic",
                 url_variable="ANTHROPIC_BASE_URL"),
        Provider("google", "Google Gemini", "google", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), prices="google",
                 url_variable="GOOGLE_GEMINI_BASE_URL"),
        Provider("azure", "Azure OpenAI", "azure", ("AZURE_OPENAI_API_KEY",), ("AZURE_OPENAI_ENDPOINT",),
                 prices="azure", url_variable="AZURE_OPENAI_ENDPOINT", several=True),
        Provider("bedrock", "Amazon Bedrock", "bedrock", _AWS, ("AWS_DEFAULT_REGION",), prices="aws",
                 url_variable="AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
        Provider("openrouter", "OpenRouter", "compatible", ("OPENROUTER_API_KEY",), prices="openrouter",
                 url="https://openrouter.ai/api/v1", url_variable="OPENROUTER_BASE_URL"),
        Provider("ollama", "Ollama", "compatible", ("OLLAMA_API_KEY",), url="http://localhost:11434/v1",
                 url_variable="OLLAMA_BASE_URL", tools=False),
        Provider("vllm", "vLLM", "compatible", ("VLLM_API_KEY",), url="http://localhost:8000/v1",
                 url_variable="VLLM_BASE_URL", tools=False, several=True),
        Provider("lmstudio", "LM Studio", "compatible", ("LMSTUDIO_API_KEY",), url="http://localhost:1234/v1",
                 url_variable="LMSTUDIO_BASE_URL", tools=False),
        Provider("local", "On this machine", "compatible", url="http://127.0.0.1", tools=False,
                 grammars=True),
    )
}  # fmt: skip


def find_provider(model: str) -> tuple[Provider, str]:
    """The provider and the model's name in `provider:name`, or in `http://host:port/v1#name`.

    Raises `ModelNotConfigured`.
    """
    if model.startswith(("http://", "https://")):
        url, _, name = model.partition("#")
        if not name:
            raise ModelNotConfigured(f"{model!r} names no model. Write http://localhost:8000/v1#NAME.")
        if "@" in urlsplit(url).netloc:  # a model's name goes into files
            raise ModelNotConfigured(
                f"Leave the password out of the address, and put the key into {ADDRESS_KEY}."
            )
        host = urlsplit(url).hostname or url
        own = Provider(host, url, "compatible", (ADDRESS_KEY,), url=url, tools=False, several=True)
        return own, name
    provider, colon, name = model.partition(":")
    if not colon or not name:
        raise ModelNotConfigured(
            f"{model!r} is no model. Write PROVIDER:NAME, such as openai:gpt-4o-mini or ollama:qwen3, "
            "or the address of a server, such as http://localhost:8000/v1#NAME. "
            f"Providers: {', '.join(PROVIDERS)}."
        )
    if provider not in PROVIDERS:
        hint = did_you_mean(provider, tuple(PROVIDERS))
        raise ModelNotConfigured(f"There is no provider {provider!r} of models.{hint}")
    return PROVIDERS[provider], name


def check_configured(provider: Provider, environment: Mapping[str, str] = os.environ) -> None:
    """Raises `ModelNotConfigured` naming all that must be set, or why the address may not be used."""
    if lacking := provider.missing(environment):
        raise ModelNotConfigured(f"{provider.title} can't be asked: set {' and '.join(lacking)}.")
    if environment.get(LOCAL_ONLY) and not is_local(provider.address(environment)):
        raise ModelNotConfigured(
            f"{provider.title} isn't on this machine, and {LOCAL_ONLY} is set: unset it, or use a local one."
        )


def is_local(url: str) -> bool:
    """True if an address is on this machine."""
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")
