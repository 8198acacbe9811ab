"""How replies are drawn, as one server takes it: a parameter that it refuses is left out from then on."""

import re
from collections.abc import Iterable, Mapping, Set
from typing import Any

from fathom.llm.exchange import Request
from fathom.llm.providers import Protocol
from fathom.llm.sender import AttemptFailed

LONGEST = 2_048
"""The most tokens of a reply from a server of one's own, where a method says none: small models that go round
in circles never end by themselves."""
_REFUSALS = {400, 404, 422}
"""The statuses of a request that is refused for what it says; some gateways have 404 for what they lack."""
_CHAT: tuple[Protocol, ...] = ("openai", "azure", "compatible")
_FLAT: tuple[Protocol, ...] = (*_CHAT, "openai-responses", "anthropic")
"""Protocols that have parameters under their own names at the top of a request."""
_SAMPLING = {"temperature", "top_p", "seed"}
_IN_BODY = ("n", "grammar")
"""Parameters that the library doesn't know, by their names in a request."""
_SAID = {
    "top_p": r"\btop_?p\b",
    "n": r"""['"`]n['"`]|\bparameter:? n\b|\bn (?:must|should|has to|is)\b""",
    "seed": r"\bseed\b",
    "json_mode": r"\bresponse_?format\b|\bjson_object\b|\btext\.format\b",
    "stop_sequences": r"""['"`]stop['"`]|\bstop_?sequences\b|\bparameter:? stop\b""",
    "logprobs": r"\blogprobs\b",
    "grammar": r"\bgrammar\b",
    "temperature": r"\btemperature\b",
}
"""How an error names each parameter, in the order in which they can be spared."""


class Parameters:
    """The parameters of requests to one model, less those that its server or library ignored or refused so
    far.

    The length of replies is never left out: without a limit they cost what the model likes.
    """

    def __init__(self, protocol: Protocol, *, grammars: bool = False) -> None:
        self._protocol = protocol
        self._left_out: set[str] = set() if grammars else {"grammar"}
        if protocol not in (*_CHAT, "openai-responses"):
            self._left_out.add("json_mode")
        if protocol not in _CHAT:
            self._left_out.update(("n", "logprobs"))

    def given(self, request: Request) -> dict[str, Any]:
        """Give the parameters that go with a request, by name."""
        most = {"max_tokens": LONGEST} if self._protocol == "compatible" else {}
        return most | {k: v for k, v in _wanted(request).items() if k not in self._left_out}

    def dropped(self, request: Request) -> tuple[str, ...]:
        """List the parameters that are wanted for a request and aren't given."""
        return tuple(sorted(self._left_out & _wanted(request).keys()))

    def ignored(self, name: str) -> None:
        """Give this one no more: the server passes it over."""
        self._left_out.add(name)

    def compare(self, given: Iterable[str], sent: Set[str]) -> None:
        """Take in what was left out of a request as it was `sent`: the library knows models that take no
        temperature, and APIs without a seed."""
        if sent and self._protocol in _FLAT:
            self._left_out.update(name for name in given if name in _SAMPLING and name not in sent)

    def refuse(self, given: Mapping[str, Any], body: object, failed: AttemptFailed) -> bool:
        """True if an attempt failed for a parameter that was `given`, which is then left out."""
        if failed.status not in _REFUSALS or failed.reason not in {"rejected", "http_error"}:
            return False
        named = _named(body)
        for name, pattern in _SAID.items():
            said = re.search(pattern, f"parameter {named}" if named else failed.problem, re.IGNORECASE)
            if name in given and said:
                self._left_out.add(name)
                return True
        return False

    def as_settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The same in the names of the library: what it doesn't know goes into the request's body."""
        settings = {k: v for k, v in given.items() if k not in {*_IN_BODY, "json_mode", "logprobs"}}
        body: dict[str, Any] = {name: given[name] for name in _IN_BODY if name in given}
        if "logprobs" in given:
            settings["openai_logprobs"] = True
        if "json_mode" in given:
            kind = {"type": "json_object"}
            responses = self._protocol == "openai-responses"
            body |= {"text": {"format": kind}} if responses else {"response_format": kind}
        return settings | ({"extra_body": body} if body else {})


def _wanted(request: Request) -> dict[str, Any]:
    how = request.sampling
    wanted = {
        "temperature": how.temperature,
        "top_p": how.top_p,
        "max_tokens": how.max_tokens,
        "stop_sequences": list(how.stop) or None,
        # With one seed for all, a server that draws one reply a request would draw the same one each time.
        "seed": None if how.seed is None else how.seed + request.sample,
        "json_mode": how.json_mode or None,
        "grammar": how.grammar or None,
        "logprobs": how.logprobs or None,
        "n": request.replies if request.replies > 1 else None,
    }
    return {k: v for k, v in wanted.items() if v is not None}


def _named(body: object) -> str:
    """The parameter that an error names apart from its words, as OpenAI's do."""
    error = body.get("error", body) if isinstance(body, dict) else None
    named = error.get("param") if isinstance(error, dict) else None
    return named if isinstance(named, str) else ""
