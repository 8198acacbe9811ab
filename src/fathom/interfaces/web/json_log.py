"""The log of a server as one JSON object a line, without passwords, tokens or folders of the machine."""

import json
import logging
from datetime import UTC, datetime

from fathom.text import without_secrets


class JsonLines(logging.Formatter):
    """One JSON object a record: time (UTC), level, logger, message; `fields` that it brings; a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        told |= getattr(record, "fields", {})
        if record.exc_info:
            told["traceback"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False, default=str)


def log_as_json() -> None:
    """Have all of this process logged so, on standard error: requests from INFO on, others from WARNING."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("fathom.requests").setLevel(logging.INFO)
