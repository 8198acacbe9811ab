"""Responses of the services, and the meanings of their refusals."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

from fathom.biotools.catalogue import EndpointCall
from fathom.errors import CallFailed, RateLimited, RecordNotFound, RequestRejected, ServiceDown

PAUSING = {429, 500, 502, 503, 504}
"""Statuses after which the same request may work later."""

_NOT_FOUND = re.compile(
    r"not found|no (?:such|results?|valid|data)|can ?not find|does not exist", re.IGNORECASE
)


@dataclass(frozen=True)
class ApiResponse:
    """One answered call. `url` is to be looked at by hand and holds no key; `body` is as it came."""

    call: EndpointCall
    url: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    from_cache: bool = False

    @property
    def media_type(self) -> str:
        """Such as application/json."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @cached_property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", errors="replace")

    @cached_property
    def json(self) -> Any:
        """The body as JSON. Raises `ServiceDown` when it is none: it was cut, or isn't from the service."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise ServiceDown(f"The answer of {self.url} is cut or is no JSON.", url=self.url) from error

    @property
    def total(self) -> int | None:
        """How many records there are in all, where a paged service says so."""
        told = self.headers.get("x-total-results", "")
        return int(told) if told.isdigit() else None


def failure(status: int, body: bytes, url: str, *, retry_after: str = "") -> CallFailed:
    """The error that a refusal stands for, with the service's own words and the pause it asks for."""
    wait = _seconds(retry_after) if status in PAUSING else None
    said = _told(body)
    reason = f" It says: {said}" if said else ""
    if status in {404, 410} or (status == 400 and _NOT_FOUND.search(said)):
        return RecordNotFound(f"There is no such record at {url}.{reason}", url=url, status=status)
    if status == 429:
        return RateLimited(f"The service asks for fewer requests.{reason}", url=url, status=status, wait=wait)
    if status >= 500:
        return ServiceDown(
            f"The service failed with status {status}.{reason}", url=url, status=status, wait=wait
        )
    return RequestRejected(f"The service refused {url} with status {status}.{reason}", url=url, status=status)


def _seconds(retry_after: str) -> float | None:
    """How long a Retry-After asks to wait: seconds or an HTTP date (RFC 9110, 10.2.3); None for neither."""
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", retry_after):
        return float(retry_after)
    try:
        until = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):  # the second for a time zone of no planet
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


def told_inside(content: Any) -> str | None:
    """The error that a body with status 200 tells of (E-utilities and Ensembl do so), or None."""
    if not isinstance(content, dict):
        return None
    inner = content.get("esearchresult") or content.get("einforesult") or {}
    for holder in (content, inner if isinstance(inner, dict) else {}):
        for key in ("error", "ERROR"):
            if isinstance(said := holder.get(key), str) and said:
                return said
    return None


def _told(body: bytes) -> str:
    """The service's words about a refusal: Ensembl's error, UniProt's messages, or the text's start."""
    try:
        content = json.loads(body)
    except ValueError:
        text = re.sub(r"<[^>]*>", " ", body[:2000].decode("utf-8", errors="replace"))
        return re.sub(r"\s+", " ", text).strip()[:300]
    if not isinstance(content, dict):
        return ""
    messages = content.get("messages")
    if isinstance(messages, list):
        return "; ".join(str(m) for m in messages)[:500]
    return str(content.get("error", ""))[:500]
