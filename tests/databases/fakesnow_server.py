"""Serves fakesnow, in its own environment, to a newer client, which wants more said at the login."""

import json
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import Response

MORE = {"masterToken": "m", "validityInSeconds": 3600, "masterValidityInSeconds": 14400, "sessionId": 1}


async def with_tokens(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await answer(request)
    if not request.url.path.endswith("login-request"):
        return response
    streamed: Any = response  # as middleware gets it
    content = json.loads(b"".join([part async for part in streamed.body_iterator]))
    content["data"] |= MORE
    return Response(json.dumps(content), media_type="application/json")


if __name__ == "__main__":
    from starlette.middleware.base import BaseHTTPMiddleware

    server: Any = import_module("fakesnow.server")
    server.app.add_middleware(BaseHTTPMiddleware, dispatch=with_tokens)
    uvicorn.run(server.app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
