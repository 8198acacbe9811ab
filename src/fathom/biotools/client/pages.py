"""The next page of a paged answer."""

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from fathom.biotools.catalogue import HttpRequest
from fathom.biotools.client.response import ApiResponse

_NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="next"')


def next_page(request: HttpRequest, response: ApiResponse) -> HttpRequest | None:
    """The request for the page after a response, or None after the last.

    UniProt names it in the Link header; of that only the query is taken, so that a page can't lead
    to another service. ESearch counts on with retstart.
    """
    if request.service == "uniprot":
        found = _NEXT.search(response.headers.get("link", ""))
        if found is None:
            return None
        return replace(request, query=tuple(parse_qsl(urlsplit(found[1]).query, keep_blank_values=True)))
    if response.call.endpoint.name == "esearch":
        result = response.json.get("esearchresult", {})
        start, listed = int(result.get("retstart", 0)), len(result.get("idlist", ()))
        if not listed or start + listed >= int(result.get("count", 0)):
            return None
        rest = tuple((k, v) for k, v in request.query if k != "retstart")
        return replace(request, query=(*rest, ("retstart", str(start + listed))))
    return None
