"""The loopback server: every endpoint of the catalogue on this machine, as strict as the real services.

It checks path and parameters by the catalogue, refuses as each service does, counts requests against the
rate limits, and keeps BLAST jobs. Its records are made: see `world`. For tests, for trying things out,
and for `fathom` without a network; nothing it says is science.
"""

import gzip
import json
import re
import threading
import time
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from fathom.biotools.catalogue import Endpoint, endpoints
from fathom.biotools.loopback import ensembl, ncbi, uniprot
from fathom.biotools.loopback.faults import Faults
from fathom.biotools.loopback.refusal import ServiceRefused
from fathom.biotools.loopback.strict import check_request, route
from fathom.errors import FathomError

PREFIXES = {"eutils": "/entrez/eutils", "blast": "/blast", "uniprot": "/uniprot", "ensembl": "/ensembl"}


@dataclass
class Loopback:
    """A running server; use it as a context manager. `limits` are requests a second by service, `faults`
    go wrong on purpose, `times` keeps when each request came. `blast_polls` is how often a job is waiting.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    blast_polls: int = 1
    stream_megabytes: int | None = None
    port: int = 0

    def __post_init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.refused: dict[str, int] = defaultdict(int)
        self.jobs: dict[str, ncbi.Job] = {}
        self._lately: dict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"loopback": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """Such as http://127.0.0.1:40123."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def bases(self) -> dict[str, str]:
        """Base addresses for `ClientOptions`."""
        return {service: self.address + prefix for service, prefix in PREFIXES.items()}

    def admit(self, service: str) -> None:
        """Count a request; raise a refusal with 429 when a second holds more than the limit."""
        now = time.monotonic()
        with self._lock:
            self.times[service].append(now)
            limit, lately = self.limits.get(service), self._lately[service]
            while lately and lately[0] <= now - 1.0:
                lately.popleft()
            if limit is not None and len(lately) >= limit:
                self.refused[service] += 1
                raise ServiceRefused(429, {"error": "API rate limit exceeded"}, Retry_After="1")
            lately.append(now)


class _Sent(FathomError):
    """The answer is on its way already."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # one packet for head and body, or the client waits for the second
    loopback: Loopback

    def do_GET(self) -> None:
        """Answer a GET request."""
        self._answer(dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)))

    def do_POST(self) -> None:
        """Answer a POST request, whose body is a form."""
        length = min(int(self.headers.get("content-length", 0)), 1_000_000)
        self._answer(
            dict(parse_qsl(self.rfile.read(length).decode("utf-8", "replace"), keep_blank_values=True))
        )

    def _answer(self, arguments: dict[str, str]) -> None:
        path = urlsplit(self.path).path
        service = next((s for s, prefix in PREFIXES.items() if path.startswith(prefix + "/")), "")
        if not service:
            self._send(404, "text/plain", b"no such service")
            return
        fault = self.loopback.faults.next()
        try:
            self.loopback.admit(service)
            if fault and not self.loopback.faults.body_only(fault):
                fault_now = self.loopback.faults.strike(fault)
                if fault_now is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                raise fault_now
            media_type, body, headers = self._respond(
                service, path.removeprefix(PREFIXES[service]), arguments
            )
        except _Sent:
            return
        except ServiceRefused as refusal:
            told = refusal.body if isinstance(refusal.body, str) else json.dumps(refusal.body)
            kind = "text/plain" if isinstance(refusal.body, str) else "application/json"
            self._send(refusal.status, kind, told.encode(), refusal.headers)
            return
        self._send(
            200, "text/html" if fault == "wrong type" else media_type, body, headers, cut=fault == "truncated"
        )

    def _respond(
        self, service: str, path: str, arguments: dict[str, str]
    ) -> tuple[str, bytes, dict[str, str]]:
        if service == "blast":
            return self._blast(arguments)
        endpoint, inside = route(service, path)
        arguments = check_request(endpoint, {**arguments, **{k: unquote(v) for k, v in inside.items()}})
        if endpoint.path.endswith("/stream") and self.loopback.stream_megabytes is not None:
            self._send_endless(self.loopback.stream_megabytes)
            raise _Sent
        return self._body(endpoint, arguments)

    def _body(self, endpoint: Endpoint, arguments: dict[str, str]) -> tuple[str, bytes, dict[str, str]]:
        headers: dict[str, str] = {}
        if endpoint.service == "eutils":
            media_type, content = ncbi.answer(endpoint.name, arguments)
            headers = {"X-RateLimit-Limit": "3"}
        elif endpoint.service == "uniprot":
            media_type = "application/json"
            content, headers = uniprot.answer(endpoint, arguments)
            if "Link" in headers:
                rest = re.sub(r"&?cursor=[^&]*", "", self.path)
                headers["Link"] = f'<{headers["Link"].format(base=self.loopback.address + rest)}>; rel="next"'
        else:
            media_type, content = "application/json", ensembl.answer(endpoint, arguments)
            headers = {
                "X-RateLimit-Limit": "55000",
                "X-RateLimit-Remaining": "54999",
                "X-RateLimit-Period": "3600",
                "X-RateLimit-Reset": "1800",
            }
        text = content if isinstance(content, str) else json.dumps(content)
        return media_type, text.encode(), headers

    def _blast(self, arguments: dict[str, str]) -> tuple[str, bytes, dict[str, str]]:
        """Submit, ask, fetch."""
        jobs, command = self.loopback.jobs, arguments.get("CMD")
        if command == "Put":
            return "text/html", self._submitted(arguments).encode(), {}
        job = jobs.get(arguments.get("RID", ""))
        if job is None or command != "Get":
            return "text/html", ncbi.page(Status="UNKNOWN").encode(), {}
        if arguments.get("FORMAT_OBJECT") == "SearchInfo":
            job.asked += 1
            status = "WAITING" if job.asked <= self.loopback.blast_polls else "READY"
            status = "FAILED" if "FAIL" in job.query else status
            return "text/html", ncbi.page(Status=status, ThereAreHits="yes").encode(), {}
        if arguments.get("FORMAT_TYPE") == "JSON2":
            return "application/zip", ncbi.report(job), {}
        return (
            "text/html",
            (ncbi.page(Status="READY") + f"<PRE>{job.program.upper()} 2.17.0+\n</PRE>").encode(),
            {},
        )

    def _submitted(self, arguments: dict[str, str]) -> str:
        known = endpoints()["blast"].parameters
        missing = [n for n in ("QUERY", "DATABASE", "PROGRAM") if not arguments.get(n)]
        unknown = [n for n in arguments if n not in known]
        if missing or unknown:
            name = escape((missing or unknown)[0])
            return f'<p class="error msInf">Message: {name} is missing or not understood</p>'
        rid = f"{abs(hash((arguments['QUERY'], time.time()))):X}"[:11].ljust(11, "0")
        hits = int(arguments.get("HITLIST_SIZE", 100))
        self.loopback.jobs[rid] = ncbi.Job(
            arguments["QUERY"], arguments["PROGRAM"], arguments["DATABASE"], hits
        )
        return ncbi.page(RID=rid, RTOE="0")

    def _send(
        self, status: int, media_type: str, body: bytes, headers: Mapping[str, str] = {}, *, cut: bool = False
    ) -> None:
        packed = "gzip" in self.headers.get("accept-encoding", "") and len(body) > 500
        body = gzip.compress(body, 1) if packed else body
        try:
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            if packed:
                self.send_header("Content-Encoding", "gzip")
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if cut else body)
            self.wfile.flush()
            self.close_connection = self.close_connection or cut
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send_endless(self, megabytes: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in uniprot.endless(megabytes):
            self.wfile.write(f"{len(piece):X}\r\n".encode() + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002, the name is inherited
        """Say nothing: tests read `times` instead."""
