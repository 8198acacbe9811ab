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
from fathom.nl2sql.schema_text import ShownSchema, descriptions
from fathom.nl2sql.selections import select
from fathom.nl2sql.values import mentions
from fathom.records import Question, Selection
from fathom.text.english import STOP_WORDS


async def recall(question: Question, context: Context) -> Selection | None:
    """The selection kept for such a question; None without one, or where the context doesn't remember."""
    if not context.remembers:
        return None
    try:
        content = json.loads((await _file(question, context)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, Mapping) or not all(isinstance(c, list) for c in content.values()):
        return None
    kept = select(context.database.schema, {str(t): map(str, c) for t, c in content.items()})
    return kept if kept.tables else None


async def keep(question: Question, selection: Selection | None, context: Context) -> None:
    """Keep a selection for questions like this, in place of an earlier one.

    None, the whole schema, isn't kept. A context that doesn't remember keeps nothing, and a folder that
    can't be written is no error.
    """
    if not context.remembers or selection is None:
        return
    content = json.dumps({t: list(c) for t, c in selection.tables.items()})
    try:
        write_whole(await _file(question, context), content)
    except OSError:
        return


async def _file(question: Question, context: Context) -> Path:
    """Where a selection is kept: questions that need the same columns share the file.

    They have the same words in any order. Texts and numbers that name values are left out, and the columns
    that hold them count instead: "the rivers of Texas" and "rivers in Ohio" share a file. The schema, what
    is known about it, and the model count as well.
    """
    named = await mentions(context, asked(question), least=0.9)
    said = masked(asked(question), (), [m.text for m in named])
    places = {f"{m.matches[0].table}.{m.matches[0].column}" for m in named}
    about = [
        descriptions(ShownSchema(context.database.schema, knowledge=context.knowledge)),
        context.model.name if context.model is not None else "",
        sorted(set(said) - STOP_WORDS),
        sorted(places),
    ]
    key = hashlib.sha256(json.dumps(about).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    folder = context.cache if context.cache is not None else read_settings().cache
    return folder / "selections" / context.database.fingerprint / f"{key}.json"
