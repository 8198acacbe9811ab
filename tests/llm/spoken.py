"""Requests and replies in the protocols of the providers that the hostile server speaks."""

import base64
import json
import re
import struct
import zlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

PROMPT_TOKENS, COMPLETION_TOKENS, CACHED_TOKENS = 120, 8, 100

Answer = tuple[int, dict[str, str], bytes]
JSON = {"content-type": "application/json"}
GOOGLE_CODES = {
    400: "INVALID_ARGUMENT",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
AWS_CODES = {
    400: "ValidationException",
    403: "UnrecognizedClientException",
    404: "ResourceNotFoundException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}
BEDROCK = ("converse", "converse-stream")
KEY_REFUSED = {"google": 400, "converse": 403, "converse-stream": 403}
"""The status that a wrong key gets, where it isn't 401."""


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    target: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def protocol(self) -> str:
        last = self.path.rpartition("/")[2]
        kinds = {"messages": "anthropic", "embeddings": "embeddings"}
        if last in BEDROCK:
            return last
        if last.endswith(":generateContent"):
            return "google"
        return kinds.get(last, "azure" if self.path.startswith("/openai/") else "openai")

    @property
    def model(self) -> str:
        """The model's name, which Google and Bedrock have in the path."""
        found = re.search(r"/models?/(.+)[:/](?:generateContent|converse)", unquote(self.path))
        return found.group(1) if found else str(self.body["model"])

    @property
    def key(self) -> str:
        """The key; of a signature by AWS the key's public half, which is all that it shows."""
        for name in ("x-api-key", "x-goog-api-key", "api-key"):
            if name in self.headers:
                return self.headers[name]
        given = self.headers.get("authorization", "")
        signed = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/", given)
        return signed.group(1) if signed else given.removeprefix("Bearer ")

    @property
    def words(self) -> str:
        return json.dumps(self.body.get("messages") or self.body.get("contents") or self.body["input"])

    @property
    def question(self) -> str:
        """What stays the same when a question is asked again, also with a repair."""
        found = re.search(r"Question (\d+)", self.words)
        return f"{self.protocol} {found.group(1) if found else self.words}"


def json_answer(content: Any, status: int = 200, **headers: str) -> Answer:
    return (
        status,
        {**JSON, **{k.replace("_", "-"): v for k, v in headers.items()}},
        json.dumps(content).encode(),
    )


def _said(asked: Asked) -> str:
    if told := re.search(r"\[say ([^\]]*)\]", asked.words):
        return told.group(1)
    found = re.search(r"Question (\d+)", asked.words)
    return f"Answer {found.group(1)}" if found else "ready"


def _openai(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": changes.get("text", _said(asked))}
    if asked.body.get("tools"):
        name = changes.get("tool", asked.body["tools"][0]["function"]["name"])
        arguments = json.dumps(changes.get("arguments", {"said": _said(asked)}))
        call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    message.update(changes.get("message", {}))
    choice = {"index": 0, "message": message, "finish_reason": changes.get("finish", "stop")}
    reply = {
        "id": "r1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.body["model"],
        "choices": changes.get("choices", [choice]),
    }
    if usage:
        reply["usage"] = {
            "prompt_tokens": PROMPT_TOKENS,
            "completion_tokens": COMPLETION_TOKENS,
            "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
            "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
        }
    return reply


def _anthropic(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": changes.get("text", _said(asked))}]
    if asked.body.get("tools"):
        name = changes.get("tool", asked.body["tools"][0]["name"])
        content = [
            {
                "type": "tool_use",
                "id": "c1",
                "name": name,
                "input": changes.get("arguments", {"said": _said(asked)}),
            }
        ]
    stop = {"stop": "end_turn", "content_filter": "refusal"}[changes.get("finish", "stop")]
    reply = {
        "id": "r1",
        "type": "message",
        "role": "assistant",
        "model": asked.body["model"],
        "content": [] if "choices" in changes or stop == "refusal" else content,
        "stop_reason": stop,
        "stop_sequence": None,
    }
    if usage:
        reply["usage"] = {
            "input_tokens": PROMPT_TOKENS - CACHED_TOKENS,
            "cache_read_input_tokens": CACHED_TOKENS,
            "output_tokens": COMPLETION_TOKENS,
        }
    return reply


def _embeddings(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    """Each text's vector holds its length and its first letter's place in the alphabet."""
    texts: list[str] = asked.body["input"]
    vectors = [[float(len(t)), float(ord(t[0])), 0.0] for t in texts] if "choices" not in changes else []
    packed: list[Any] = vectors
    if asked.body.get("encoding_format") == "base64":
        packed = [base64.b64encode(struct.pack("<3f", *v)).decode() for v in vectors]
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(packed)]
    told = {"usage": {"prompt_tokens": PROMPT_TOKENS, "total_tokens": PROMPT_TOKENS}} if usage else {}
    return {"object": "list", "model": asked.body["model"], "data": data, **told}


def _stream(reply: dict[str, Any]) -> Answer:
    """An Anthropic reply as the events that make it up."""
    usage = reply.get("usage", {})
    start = {**reply, "content": [], "stop_reason": None}
    if usage:
        start["usage"] = {**usage, "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, part in enumerate(reply["content"]):
        whole = {"type": "text_delta", "text": part.get("text")}
        empty = {**part, "text": ""}
        if part["type"] == "tool_use":
            whole = {"type": "input_json_delta", "partial_json": json.dumps(part["input"])}
            empty = {**part, "input": {}}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": whole},
            {"type": "content_block_stop", "index": index},
        ]
    delta = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    output = {"usage": {"output_tokens": COMPLETION_TOKENS}} if usage else {}
    events += [{"type": "message_delta", "delta": delta, **output}, {"type": "message_stop"}]
    lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events]
    return 200, {"content-type": "text/event-stream"}, "".join(lines).encode()


def _google(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": changes.get("text", _said(asked))}]
    if asked.body.get("tools"):
        name = changes.get("tool", asked.body["tools"][0]["functionDeclarations"][0]["name"])
        parts = [{"functionCall": {"name": name, "args": changes.get("arguments", {"said": _said(asked)})}}]
    candidate: dict[str, Any] = {
        "index": 0,
        "finishReason": "STOP",
        "content": {"role": "model", "parts": parts},
    }
    if changes.get("finish") == "content_filter":
        candidate = {"index": 0, "finishReason": "SAFETY"}
    reply: dict[str, Any] = {
        "candidates": changes.get("choices", [candidate]),
        "modelVersion": asked.model,
        "responseId": "r1",
    }
    if usage:
        reply["usageMetadata"] = {
            "promptTokenCount": PROMPT_TOKENS,
            "cachedContentTokenCount": CACHED_TOKENS,
            "candidatesTokenCount": COMPLETION_TOKENS,
            "totalTokenCount": PROMPT_TOKENS + COMPLETION_TOKENS,
        }
    return reply


def _bedrock(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"text": changes.get("text", _said(asked))}]
    stop = {"stop": "end_turn", "content_filter": "content_filtered"}[changes.get("finish", "stop")]
    if asked.body.get("toolConfig"):
        name = changes.get("tool", asked.body["toolConfig"]["tools"][0]["toolSpec"]["name"])
        given = changes.get("arguments", {"said": _said(asked)})
        content, stop = [{"toolUse": {"toolUseId": "c1", "name": name, "input": given}}], "tool_use"
    if "choices" in changes or stop == "content_filtered":
        content = []
    reply: dict[str, Any] = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop,
        "metrics": {"latencyMs": 2},
    }
    if usage:
        reply["usage"] = {
            "inputTokens": PROMPT_TOKENS - CACHED_TOKENS,
            "cacheReadInputTokens": CACHED_TOKENS,
            "outputTokens": COMPLETION_TOKENS,
            "totalTokens": PROMPT_TOKENS + COMPLETION_TOKENS,
        }
    return reply


def _event_stream(reply: dict[str, Any]) -> Answer:
    """A reply of Bedrock as the events that make it up."""
    events: list[tuple[str, dict[str, Any]]] = [("messageStart", {"role": "assistant"})]
    for index, part in enumerate(reply["output"]["message"]["content"]):
        delta = {"text": part.get("text")}
        if call := part.get("toolUse"):
            start = {"toolUse": {"toolUseId": call["toolUseId"], "name": call["name"]}}
            events.append(("contentBlockStart", {"contentBlockIndex": index, "start": start}))
            delta = {"toolUse": {"input": json.dumps(call["input"])}}
        events.append(("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}))
        events.append(("contentBlockStop", {"contentBlockIndex": index}))
    events.append(("messageStop", {"stopReason": reply["stopReason"]}))
    if "usage" in reply:
        events.append(("metadata", {"usage": reply["usage"], "metrics": reply["metrics"]}))
    body = b"".join(_event(kind, content) for kind, content in events)
    return 200, {"content-type": "application/vnd.amazon.eventstream"}, body


def _event(kind: str, content: dict[str, Any]) -> bytes:
    """One event in AWS's framing: lengths and their checksum, headers, JSON, the checksum of it all."""
    headers = b""
    told = {":message-type": "event", ":event-type": kind, ":content-type": JSON["content-type"]}
    for name, value in told.items():
        headers += struct.pack(">B", len(name)) + name.encode()
        headers += struct.pack(">BH", 7, len(value)) + value.encode()  # 7: a string
    body = json.dumps(content).encode()
    lengths = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    framed = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + body
    return framed + struct.pack(">I", zlib.crc32(framed))


_SPOKEN = {
    "openai": _openai,
    "azure": _openai,
    "anthropic": _anthropic,
    "embeddings": _embeddings,
    "google": _google,
    "converse": _bedrock,
    "converse-stream": _bedrock,
}


def reply_answer(asked: Asked, *, usage: bool, **changes: Any) -> Answer:
    """A reply, or the one tool call that is asked for; `changes` replace parts of it."""
    reply = _SPOKEN[asked.protocol](asked, usage, changes)
    if asked.protocol == "converse-stream":
        return _event_stream(reply)
    return _stream(reply) if asked.body.get("stream") else json_answer(reply)


def error_answer(asked: Asked, status: int, message: str, **headers: str) -> Answer:
    """An error as the provider words it."""
    if asked.protocol == "google":
        return json_answer(_google_error(status, message, headers), status, **headers)
    if asked.protocol in BEDROCK:
        code = AWS_CODES.get(status, "ServiceException")
        return json_answer({"message": message}, status, x_amzn_errortype=code, **headers)
    told = {"type": "error", "error": {"type": "trouble", "message": message}}
    return json_answer(told, status, **headers)


def refused_key(asked: Asked) -> Answer:
    """What a wrong key gets."""
    status = KEY_REFUSED.get(asked.protocol, 401)
    return error_answer(asked, status, f"Incorrect API key provided: {asked.key}")


def _google_error(status: int, message: str, headers: dict[str, str]) -> dict[str, Any]:
    """Google tells in the body how long to wait, and which of the bad requests are those with a wrong key."""
    details: list[dict[str, Any]] = []
    if headers.get("retry_after", "").isdigit():
        wait = headers.pop("retry_after") + "s"
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait})
    if message.startswith("Incorrect API key"):
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        details.append({"@type": kind, "reason": "API_KEY_INVALID", "domain": "googleapis.com"})
    code = GOOGLE_CODES.get(status, "UNKNOWN")
    return {"error": {"code": status, "message": message, "status": code, "details": details}}
