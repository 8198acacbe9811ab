"""One attempt at a request through pydantic-ai, and what its errors come to. Imported late."""

import socket
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

import genai_prices
import httpx2
from pydantic_ai import exceptions as failures
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from fathom.llm.build import make_embedding_model, make_http, make_model
from fathom.llm.embeddings import pack
from fathom.llm.exchange import Call, Finish, Message, Reply, Request, Tool
from fathom.llm.keys import redact, redact_error
from fathom.llm.local import NAME as LOCAL
from fathom.llm.parameters import Parameters
from fathom.llm.providers import Provider
from fathom.llm.reported import read_choices, read_reported, received, sent
from fathom.llm.sender import EMPTY, UNREACHABLE, AttemptFailed, Pace
from fathom.records import Usage

LONGEST_PROBLEM = 500
_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_call": "tool_call",
    "error": "error",
}
_REASONS: tuple[tuple[type[Exception], str, bool], ...] = (
    (failures.ModelQuotaExceededError, "quota", False),
    (failures.ModelRateLimitError, "rate_limit", True),
    (failures.ModelOverloadedError, "overloaded", True),
    (failures.ModelUnavailableError, "unavailable", True),
    (failures.ModelServerError, "server_error", True),
    (failures.ModelTimeoutError, "timeout", True),
    (failures.ModelRequestTimeout, "timeout", True),
    (failures.ModelConnectionError, "connection", True),
    (failures.ModelContextWindowExceededError, "too_long", False),
    (failures.ModelAuthenticationError, "authentication", False),
    (failures.ModelNotFoundError, "no_such_model", False),
    (failures.ModelRequestRejectedError, "rejected", False),
    (failures.ContentFilterError, "content_filter", False),
    (failures.UserError, "misuse", False),
)
"""Errors, the more specific first: the error's class, its short name, and True if another attempt makes
sense."""

_UNSIGNED = {
    "NoCredentialsError",
    "PartialCredentialsError",
    "CredentialRetrievalError",
    "NoAuthTokenError",
    "TokenRetrievalError",
    "SSOError",
    "InvalidEndpointConfigurationError",
}
"""botocore's errors where a request can't be signed, by name: it is imported only where Bedrock is asked."""


class _Counted:
    """The state that connections to one model share: its provider, the client, and its usage."""

    def __init__(self, provider: Provider, name: str, pace: Pace) -> None:
        self.provider, self.name = provider, name
        self._http = make_http(pace)

    def _usage(self, used: RequestUsage, model: str | None) -> Usage:
        if used.unmeasured_requests or not (used.input_tokens or used.output_tokens):
            return Usage(calls=1, unmeasured_calls=1, cost_usd=None)
        return Usage(
            calls=1,
            prompt_tokens=used.input_tokens,
            completion_tokens=used.output_tokens,
            cached_tokens=used.cache_read_tokens,
            cost_usd=price(self.provider, (self.name, model or ""), used),
        )

    def _reported(self, body: bytes) -> Usage | None:
        """Read the usage in a response that can't be used otherwise."""
        told = read_reported(body)
        if told is None:
            return None
        used = RequestUsage(
            input_tokens=told.prompt, output_tokens=told.completion, cache_read_tokens=told.cached
        )
        return self._usage(used, None)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


class Connection(_Counted):
    """One model of one provider; calling it is one attempt. Lives on one event loop.

    What the server refuses of how replies are drawn is left out from then on, and every reply says so.
    """

    def __init__(self, provider: Provider, name: str, pace: Pace, *, key: str = "") -> None:
        super().__init__(provider, name, pace)
        self._model = make_model(provider, name, self._http, pace, key=key)
        bounded = "timeout" not in self._model.unsupported_settings  # else its library warns at every request
        self._settings = {"timeout": pace.seconds} if bounded else {}
        self._how = Parameters(provider.protocol, grammars=provider.grammars)

    async def __call__(self, request: Request) -> Reply:
        """Ask once, or once more for each parameter that is refused. Raises `AttemptFailed`."""
        kept, names = bytearray(), set[str]()
        received.set(kept)
        sent.set(names)
        failed: AttemptFailed
        while True:
            given = self._how.given(request)
            settings = self._settings_for(request, given)
            try:
                response = await self._model.request(_messages(request), settings, _parameters(request))
                self._how.compare(given, names)
                return self._reply(response, request, bytes(kept))
            except Exception as error:  # whatever a provider's library raises is a failed attempt
                failed = failed_attempt(error, self._reported(bytes(kept)))
                again = self._how.refuse(given, getattr(error, "body", None), failed)
            if not again:
                raise failed

    def _settings_for(self, request: Request, given: Mapping[str, Any]) -> ModelSettings:
        # A prompt asked once is cached as far as its system part, which others share: writing it all would
        # cost more than it saves.
        caching = {"cache": True if request.repeated else {"messages": False}}
        return cast(ModelSettings, {**self._settings, **caching, **self._how.as_settings(given)})

    def _reply(self, response: ModelResponse, request: Request, body: bytes) -> Reply:
        calls = tuple(Call(redact(c.tool_name), redact(c.args_as_json_str())) for c in response.tool_calls)
        details = response.provider_details or {}
        refusal = str(details.get("refusal") or "")
        finish = _FINISHES.get(response.finish_reason or "", "unknown")
        used = self._usage(response.usage, response.model_name)
        if self.provider.protocol == "bedrock" and "finish_reason" not in details:
            # Its library takes a stream of events that breaks off for a whole one.
            raise AttemptFailed("connection", "the reply broke off", again=True, used=used)
        if not response.parts and not refusal and finish not in {"content_filter", "length"}:
            # Without an end it may have broken off, which the next attempt may not.
            reason = EMPTY if finish == "stop" else "invalid_reply"
            raise AttemptFailed(reason, "the reply is empty", again=True, used=used)
        more = read_choices(body)[1:] if request.replies > 1 else []
        if request.replies > 1 and not more:
            self._how.ignored("n")
        return Reply(
            text=redact(response.text or refusal),
            calls=calls,
            finish=finish,
            usage=used,
            model=response.model_name or self.name,
            more=tuple(map(redact, more)),
            dropped=self._how.dropped(request),
            logprobs=tuple(round(t["logprob"], 4) for t in details.get("logprobs") or ()),
        )


class EmbeddingConnection(_Counted):
    """One embedding model of one provider: the words of each turn become a vector in the reply."""

    def __init__(self, provider: Provider, name: str, pace: Pace) -> None:
        super().__init__(provider, name, pace)
        self._model = make_embedding_model(provider, name, self._http, pace)

    async def __call__(self, request: Request) -> Reply:
        """Ask once. Raises `AttemptFailed`."""
        kept = bytearray()
        received.set(kept)
        failed: AttemptFailed
        try:
            found = await self._model.embed([m.text for m in request.messages], input_type="document")
            usage = self._usage(found.usage, found.model_name)
            return Reply(pack(found.embeddings), usage=usage, model=found.model_name)
        except Exception as error:  # as above
            failed = failed_attempt(error, self._reported(bytes(kept)))
        raise failed


def price(provider: Provider, names: Sequence[str], used: RequestUsage) -> Decimal | None:
    """Dollars by genai-prices, none on this machine; None where the provider or model has no known price."""
    if provider.name == LOCAL:
        return Decimal(0)
    if not provider.prices:
        return None
    for name in filter(None, names):
        try:
            return genai_prices.calc_price(used, name, provider_id=provider.prices).total_price
        except (LookupError, ValueError):
            continue
    return None


def failed_attempt(error: Exception, used: Usage | None) -> AttemptFailed:
    """Turn an error of a provider's library into ours, without any key."""
    if isinstance(error, AttemptFailed):
        return error
    status = getattr(error, "status_code", None)
    told = _told(getattr(error, "body", None)) or str(error)
    problem = redact_error(" ".join(f"HTTP {status}: {told}".split() if status else told.split()))
    problem = problem[:LONGEST_PROBLEM]
    for kind, reason, again in _REASONS:
        if isinstance(error, kind):
            name = UNREACHABLE if reason == "connection" and _never_connected(error) else reason
            after = getattr(error, "retry_after", None)
            problem += f" (it asks to wait {after:.0f} s)" if after else ""
            return AttemptFailed(name, problem, again=again, status=status, retry_after=after, used=used)
    if isinstance(error, failures.ModelHTTPError):
        again = error.status_code in {408, 409, 425, 429} or error.status_code >= 500
        return AttemptFailed("http_error", problem, again=again, status=status, used=used)
    if _UNSIGNED & {kind.__name__ for kind in type(error).__mro__}:
        return AttemptFailed("authentication", problem, again=False)
    # The libraries meet a reply of the wrong shape with errors of every kind, down to IndexError.
    return AttemptFailed("invalid_reply", f"the reply can't be read ({problem})", again=True, used=used)


def _never_connected(error: BaseException) -> bool:
    """True if nothing took the connection, rather than that it broke off."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (httpx2.ConnectError, ConnectionRefusedError, socket.gaierror)):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _told(body: object) -> str:
    """The words in the body of an error: mostly `error.message`, of AWS `Error.Message`."""
    for holder in (body.get("error"), body.get("Error"), body) if isinstance(body, dict) else ():
        if isinstance(holder, dict):
            words = holder.get("message", holder.get("Message"))
            if isinstance(words, str):
                return words
    return body if isinstance(body, str) else ""


def _messages(request: Request) -> list[ModelMessage]:
    made: list[ModelMessage] = []
    for message in request.messages:
        if message.role == "assistant":
            made.append(ModelResponse(parts=[TextPart(message.text)]))
            continue
        part = _part(message)
        if made and isinstance(made[-1], ModelRequest):
            made[-1] = ModelRequest(parts=[*made[-1].parts, part])
        else:
            made.append(ModelRequest(parts=[part]))
    return made


def _part(message: Message) -> SystemPromptPart | UserPromptPart:
    return SystemPromptPart(message.text) if message.role == "system" else UserPromptPart(message.text)


def _parameters(request: Request) -> ModelRequestParameters:
    return ModelRequestParameters(
        output_tools=[_tool(t) for t in request.tools] if request.must_call else [],
        function_tools=[] if request.must_call else [_tool(t) for t in request.tools],
        output_mode="tool" if request.must_call else "text",
        allow_text_output=not request.must_call,
    )


def _tool(tool: Tool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, parameters_json_schema=dict(tool.parameters), description=tool.description
    )
