"""Selections that a model made before, kept on disk for questions in the same words.

They are used only where the context says so (`Context.remembers`): an evaluation, and whatever runs from a
cassette, must give the same trace however often it runs and whatever ran before it.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from fathom.config import read_settings
from fathom.files import write_whole
from fathom.methods import Context
from fathom.nl2sql.masking import masked
from fathom.nl2sql.prompting import asked
from fathom.nl2sql.schema_text import Shown, descriptions
from fathom.nl2sql.selecting import select
from fathom.nl2sql.values import mentions
from fathom.records import Question, Selection
from fathom.retrieval.words import FUNCTION_WORDS


async def key_of(question: Question, context: Context) -> str:
    """What a question has in common with those that need the same columns: its words in any order.

    Texts and numbers that name values are left out, the columns that hold them count instead: "the rivers of
    Texas" and "rivers in Ohio" share a key. So do the schema, what is known about it, and the model.
    """
    named = await mentions(context, asked(question), least=0.9)
    said = masked(asked(question), (), [m.text for m in named])
    places = {f"{m.matches[0].table}.{m.matches[0].column}" for m in named}
    schema = context.database.schema
    about = [
        context.database.fingerprint,
        descriptions(Shown(schema, knowledge=context.knowledge)),
        context.model.name if context.model is not None else "",
        sorted(set(said) - FUNCTION_WORDS),
        sorted(places),
    ]
    return hashlib.sha256(json.dumps(about).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def recall(key: str, context: Context) -> Selection | None:
    """The selection kept under a key; None where there is none, or where the context doesn't remember."""
    if not context.remembers:
        return None
    try:
        content = json.loads(_file(key, context).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, Mapping) or not all(isinstance(c, list) for c in content.values()):
        return None
    kept = select(context.database.schema, {str(t): map(str, c) for t, c in content.items()})
    return kept if kept.tables else None


def keep(key: str, selection: Selection, context: Context) -> None:
    """Keep a selection, unless the context doesn't remember. A folder that can't be written is no error."""
    if not context.remembers:
        return
    content = json.dumps({t: list(c) for t, c in selection.tables.items()})
    try:
        write_whole(_file(key, context), content)
    except OSError:
        return


def _file(key: str, context: Context) -> Path:
    folder = context.cache if context.cache is not None else read_settings().cache
    return folder / "selections" / context.database.fingerprint / f"{key}.json"
