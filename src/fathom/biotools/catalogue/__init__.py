"""Every endpoint as data, and what checks a call before it is made."""

from fathom.biotools.catalogue.checking import Call, check
from fathom.biotools.catalogue.endpoints import SERVICES, Endpoint, Parameter, endpoint, endpoints
from fathom.biotools.catalogue.requests import Request, request_for
from fathom.biotools.catalogue.schema import export, function_schema
from fathom.biotools.catalogue.searching import search

__all__ = [
    "SERVICES",
    "Call",
    "Endpoint",
    "Parameter",
    "Request",
    "check",
    "endpoint",
    "endpoints",
    "export",
    "function_schema",
    "request_for",
    "search",
]
