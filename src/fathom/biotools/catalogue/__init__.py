"""Every endpoint as data, and what checks a call before it is made."""

from fathom.biotools.catalogue.argument_checks import EndpointCall, check
from fathom.biotools.catalogue.endpoints import SERVICES, Endpoint, Parameter, endpoint, endpoints
from fathom.biotools.catalogue.requests import HttpRequest, request_for
from fathom.biotools.catalogue.schema import export, function_schema
from fathom.biotools.catalogue.word_search import search

__all__ = [
    "SERVICES",
    "Endpoint",
    "EndpointCall",
    "HttpRequest",
    "Parameter",
    "check",
    "endpoint",
    "endpoints",
    "export",
    "function_schema",
    "request_for",
    "search",
]
