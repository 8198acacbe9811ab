"""Who asked what of which database: a log that only grows, and shows where it was changed."""

from fathom.answering.audit_log.entries import LogEntry
from fathom.answering.audit_log.log import AuditLog, Problem, Verified
from fathom.answering.audit_log.log_end import end_file
from fathom.answering.audit_log.logged import (
    audit_log_of,
    logged_answer,
    logged_change,
    logged_estimate,
    logged_export,
    logged_run,
    logging_as,
    on_behalf,
)

__all__ = [
    "AuditLog",
    "LogEntry",
    "Problem",
    "Verified",
    "audit_log_of",
    "end_file",
    "logged_answer",
    "logged_change",
    "logged_estimate",
    "logged_export",
    "logged_run",
    "logging_as",
    "on_behalf",
]
