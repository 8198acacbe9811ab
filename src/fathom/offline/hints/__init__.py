"""Outside knowledge about one question, as hints: what its evidence and a pack's terms say of its words."""

from fathom.offline.hints.additions import complete
from fathom.offline.hints.glossary import Glossary
from fathom.offline.hints.in_linking import apply_hints
from fathom.offline.hints.instructions import tells_how, without_instructions
from fathom.offline.hints.records import Hint, Hints
from fathom.offline.hints.satisfied import told
from fathom.offline.hints.statements import EvidenceReader

__all__ = [
    "EvidenceReader",
    "Glossary",
    "Hint",
    "Hints",
    "apply_hints",
    "complete",
    "tells_how",
    "told",
    "without_instructions",
]
