"""BLAST: submit a search, ask at a polite pace whether it is ready, fetch the report."""

import io
import json
import re
import time
import zipfile
from typing import TYPE_CHECKING, Any

from fathom.biotools.catalogue import EndpointCall, HttpRequest, request_for
from fathom.biotools.client.response import ApiResponse
from fathom.errors import RequestRejected, ResponseTooLarge, ServiceDown

if TYPE_CHECKING:
    from fathom.biotools.client.client import Client, Progress

_OF_REPORT = ("HITLIST_SIZE", "DESCRIPTIONS", "ALIGNMENTS", "NCBI_GI")


def run_blast(client: "Client", call: EndpointCall, progress: "Progress") -> ApiResponse:
    """Run a search to its report. JSON2 unless another FORMAT_TYPE was asked for.

    Raises `RequestRejected` when the search is refused or failed, `ServiceDown` when it isn't ready in
    `options.blast_seconds`; the message holds the request id, under which the report can be fetched later.
    """
    submitted = client.exchange(call, _submission(call))
    rid, estimate = _field(submitted.text, "RID"), _field(submitted.text, "RTOE")
    if not rid:
        raise RequestRejected(f"BLAST didn't take the search. It says: {_message(submitted.text)}")
    options = client.options
    wait = max(float(estimate or 0), options.least_wait_seconds)
    progress(f"BLAST took the search as {rid}; it expects to need {estimate or '?'} s")
    _wait_until_ready(client, call, rid, wait, progress)
    report = call.arguments.get("FORMAT_TYPE", "JSON2")
    chosen = [(k, str(call.arguments[k])) for k in _OF_REPORT if k in call.arguments]
    got = client.exchange(call, _asking(rid, ("FORMAT_TYPE", report), *chosen))
    body = _report_inside(got.body, options.most_bytes) if report == "JSON2" else got.body
    kind = {"content-type": "application/json"} if report == "JSON2" else got.headers
    return ApiResponse(call, _asking(rid, ("FORMAT_TYPE", report)).url(), body, kind)


def _submission(call: EndpointCall) -> HttpRequest:
    request = request_for(call)
    form = tuple((k, v) for k, v in request.form if k not in {"FORMAT_TYPE", "DESCRIPTIONS", "ALIGNMENTS"})
    return HttpRequest(request.service, "POST", request.path, form=form)


def _asking(rid: str, *more: tuple[str, str]) -> HttpRequest:
    return HttpRequest("blast", "GET", "/Blast.cgi", query=(("CMD", "Get"), ("RID", rid), *more))


def _wait_until_ready(
    client: "Client", call: EndpointCall, rid: str, wait: float, progress: "Progress"
) -> None:
    started = time.monotonic()
    while True:
        time.sleep(wait)
        text = client.exchange(call, _asking(rid, ("FORMAT_OBJECT", "SearchInfo"))).text
        status, passed = _field(text, "Status"), time.monotonic() - started
        progress(f"BLAST {rid}: {status.lower() or 'no status'} after {passed:.0f} s")
        if status == "READY":
            return
        if status in {"FAILED", "UNKNOWN"}:
            raise RequestRejected(f"BLAST search {rid} ended as {status.lower()}; it may be submitted again.")
        if passed > client.options.blast_seconds:
            raise ServiceDown(f"BLAST search {rid} isn't ready after {passed:.0f} s; look for it later.")
        wait = client.options.poll_seconds


def _field(text: str, name: str) -> str:
    """A field of the comment block in BLAST's pages."""
    found = re.search(rf"^\s*{name}\s*=\s*(\w+)\s*$", text, re.MULTILINE)
    return found[1] if found else ""


def _message(text: str) -> str:
    found = re.search(r'class="error[^"]*"[^>]*>(.*?)<', text, re.DOTALL)
    said = found[1] if found else re.sub(r"<[^>]*>", " ", text)
    return re.sub(r"\s+", " ", said).strip()[:300]


def _report_inside(body: bytes, most: int) -> bytes:
    """The one JSON report of a JSON2 archive. Raises `ServiceDown` when the archive is no good."""
    if body.lstrip()[:1] == b"{":
        return body
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = [i for i in archive.infolist() if re.search(r"_\d+\.json$", i.filename)]
            if not names:
                raise ServiceDown("The BLAST archive holds no report.")
            if names[0].file_size > most:
                raise ResponseTooLarge(most)
            report: Any = archive.read(names[0])
            json.loads(report)
    except (zipfile.BadZipFile, ValueError) as error:
        raise ServiceDown("The BLAST report is cut or is no archive.") from error
    return bytes(report)
