"""Gold that is suspect, with the evidence, for people to settle (specs/nl2sqlbench.md, point 5)."""

from fathom.authoring.audit.auditing import audit
from fathom.authoring.audit.finding import KINDS, AuditFinding
from fathom.authoring.audit.writing import findings_markdown, write_findings

__all__ = ["KINDS", "AuditFinding", "audit", "findings_markdown", "write_findings"]
