"""A database made ready to be asked: by which method, with what knowledge, within which limits."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

from fathom.config import Settings, read_settings
from fathom.databases import Database, connect
from fathom.errors import ConfigError, ModelNeeded, RightsError, did_you_mean
from fathom.knowledge import KnowledgePack, packs_beforehand
from fathom.knowledge.seen import seen_of
from fathom.methods import Context, Method, find_method
from fathom.records import Limits, SolvedExample
from fathom.watch import Watch

if TYPE_CHECKING:
    from fathom.llm import Embedder, Model

WITHOUT_MODEL, WITH_MODEL, WITH_LOCAL_MODEL = "offline", "adaptive", "local"
"""The methods to ask by where none is named; the others try the first before they ask the model, and the last
is made for the small models that run on one's own machine."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask one database: which method, what is known beforehand, within which limits."""

    database: Database
    method: Method
    context: Context

    @property
    def model_name(self) -> str:
        """The language model that may be called, if any."""
        return self.context.model.name if self.context.model is not None else ""

    def watched(self, watch: Watch | None) -> "Asking":
        """The same, which reports each step of answering to `watch`."""
        return replace(self, context=replace(self.context, watch=watch))


class MethodOptions(TypedDict, total=False):
    """How to find queries: by which `method`, with which knowledge packs and solved examples beside others.

    Below `confidence` (0 to 1) a question is declined, where the method's own bar is another. Without a
    `method` it is `offline`, or `adaptive` where there is a model, which tries `offline` first.
    `without_rules` names rules of `offline` to switch off. With `repair` a query that fails is mended by the
    schema, and without it never; left out, it is as the method has it.
    """

    method: str | Method | None
    packs: Iterable[str | Path | KnowledgePack]
    examples: Iterable[SolvedExample]
    limits: Limits | None
    confidence: float | None
    without_rules: Sequence[str]
    repair: bool | None


class AskOptions(MethodOptions, total=False):
    """How to ask: `model` is the language model of methods that ask one, as `provider:name` or opened.

    `embeddings` is likewise the model that tells methods what is near in meaning, where words and spelling
    tell it otherwise.
    """

    model: "str | Model | None"
    embeddings: "str | Embedder | None"


def prepare(
    database: Database,
    *,
    model: "Model | None" = None,
    embeddings: "Embedder | None" = None,
    settings: Settings | None = None,
    **options: Unpack[MethodOptions],
) -> Asking:
    """Get ready to ask one database several questions, by `offline` or, with a `model`, by `adaptive`, or by
    `local` where that runs on this machine.

    The packs that the settings name for the database, or that come with a demo, are always there; `packs` go
    on top of them. What a model said of one question may serve the next, unless it is recorded. Raises
    `UnknownName` for a method that isn't registered, `ModelNeeded` for one that asks a model where none is
    given, `ConfigError` for a `confidence` out of range or a method without such a bar or such rules,
    `InputError` for a pack that can't be read or has a condition or a format that the data refuse, and
    `RightsError` for a model where the rights allow none.
    """
    if unknown := sorted(set(options) - set(MethodOptions.__annotations__)):
        raise TypeError(
            f"there is no option {unknown[0]!r}{did_you_mean(unknown[0], [*AskOptions.__annotations__])}"
        )
    chosen = _method(
        options.get("method") or _usual_method(model),
        options.get("confidence"),
        options.get("without_rules", ()),
    )
    if (repair := options.get("repair")) is not None:
        from fathom.nl2sql.repair import with_repair  # noqa: PLC0415, only where it is asked for

        chosen = with_repair(chosen, repair)
    if chosen.asks_model and model is None:
        raise ModelNeeded
    if model is not None and database.granted is not None and not database.granted.models:
        raise RightsError("The rights there are let no language model be asked; leave --model out.")
    settings = settings or read_settings()
    beforehand = packs_beforehand(database.known_as or database.url, settings)
    known = _knowledge([*beforehand, *options.get("packs", ())])
    if known.glossary or known.conventions or known.formats:
        from fathom.knowledge.trials import try_pack  # noqa: PLC0415, most databases have no pack

        try_pack(known, database)
    context = Context(
        database,
        *seen_of(known, tuple(options.get("examples", ())), database),
        options.get("limits") or Limits(),
        settings.cache,
        model,
        embeddings,
        remembers=model is not None and not model.recorded,
    )
    return Asking(database, chosen, context)


def _usual_method(model: "Model | None") -> str:
    if model is None:
        return WITHOUT_MODEL
    return WITH_LOCAL_MODEL if model.name.startswith("local:") else WITH_MODEL


def model_or_usual(model: "str | Model | None", method: str | Method | None) -> "str | Model | None":
    """The model to ask: the given one, else that of the settings, unless the method asks none."""
    if model is not None or (usual := read_settings().model) is None:
        return model
    found = find_method(method) if isinstance(method, str) else method
    return usual if found is None or getattr(found, "asks_model", True) else None


def _method(named: str | Method, confidence: float | None, without_rules: Sequence[str]) -> Method:
    chosen = find_method(named) if isinstance(named, str) else named
    if not isinstance(chosen, Method):
        raise ConfigError(f"{named!r} is no method made of steps; fathom evaluate can measure it.")
    if without_rules:
        chosen = chosen.using(without_rules=tuple(without_rules))
    if confidence is None:
        return chosen
    if not 0 <= confidence <= 1:
        raise ConfigError(f"A confidence is from 0 to 1, not {confidence:g}.")
    return chosen.using(confidence=confidence)


def learn(asking: Asking) -> int:
    """Learn from solved examples ahead of the first question; how many of them can be learned from.

    The cache keeps the lessons for as long as examples, pack and schema stay the same.
    """
    from fathom.offline.engines import engine_for  # noqa: PLC0415, only where it is asked for
    from fathom.offline.opinions import bearing_for  # noqa: PLC0415

    known = asking.context
    if not (known.knowledge.examples or known.examples):
        return 0
    engine = engine_for(known.database, known.knowledge, known.examples, known.cache)
    bearing_for(engine)
    return len(engine.examples)


@contextmanager
def prepared(database: str | Path | Database, **options: Unpack[AskOptions]) -> Iterator[Asking]:
    """A database to ask, as `prepare` makes it; what is opened for it is closed afterwards."""
    from fathom.llm import opened_embedder, opened_model  # noqa: PLC0415, slow to import

    of_methods = cast(MethodOptions, {k: v for k, v in options.items() if k not in ("model", "embeddings")})
    with (
        opened_database(database) as opened,
        opened_model(model_or_usual(options.get("model"), options.get("method"))) as asked,
        opened_embedder(options.get("embeddings")) as near,
    ):
        yield prepare(opened, model=asked, embeddings=near, **of_methods)


def opened_database(database: str | Path | Database) -> AbstractContextManager[Database]:
    """A database that is closed afterwards, unless it was open before."""
    return nullcontext(database) if isinstance(database, Database) else connect(database)


def _knowledge(packs: Iterable[str | Path | KnowledgePack]) -> KnowledgePack:
    merged = KnowledgePack()
    for pack in packs:
        merged = merged.merge(pack if isinstance(pack, KnowledgePack) else _read(pack))
    return merged


def _read(pack: str | Path) -> KnowledgePack:
    from fathom.knowledge import load_packs  # noqa: PLC0415, most databases have no pack to read

    return load_packs(pack)
