"""Gold that is suspect, with the evidence, for people to settle (NL2SQLBench)."""

from fathom.authoring.audit.finding_files import findings_markdown, write_findings
from fathom.authoring.audit.findings import KINDS, AuditFinding
from fathom.authoring.audit.passes import audit

__all__ = ["KINDS", "AuditFinding", "audit", "findings_markdown", "write_findings"]
