"""The client: makes checked calls to the real services, or to whatever their addresses are set to."""

from fathom.biotools.client.client import Client
from fathom.biotools.client.options import RATES, ClientOptions, read_options
from fathom.biotools.client.response import ApiResponse

__all__ = ["RATES", "ApiResponse", "Client", "ClientOptions", "read_options"]
