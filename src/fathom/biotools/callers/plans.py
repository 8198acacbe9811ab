"""Plans for calls in a row: an endpoint that fits the words, and the bridges to what it takes.

A plan reads the question as if it named what the bridges find. It follows from the question alone, so that
the caller makes it again after each call and needs no memory.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fathom.biotools.callers.argument_filler import ArgumentFiller
from fathom.biotools.callers.bridges import Bridge, Crossing, paths
from fathom.biotools.callers.caller import MadeCall
from fathom.biotools.callers.endpoint_fit import (
    MOST_LEAD,
    FittingEndpoint,
    checked,
    confidence,
    fit,
    most_fit,
)
from fathom.biotools.callers.entities import STRONG, Entity
from fathom.biotools.callers.taken_kinds import takes
from fathom.biotools.catalogue import EndpointCall, check, endpoints, names

MOST_BRIDGES = 3
CONSIDERED = 30
A_BRIDGE = 0.12
"""The penalty of a bridge on a score: the way that needs fewer bridges is likelier."""

CROSSED = 0.87
"""How sure a bridge is: 12 of 13 plans for the questions that were looked at (`bench.biotools_chains`)
ended as they should; (12 + 1) / (13 + 2) by the rule of succession.
"""

_UNKNOWN = "?"
_MOLECULE = {"protein": "ensembl_protein", "cds": "ensembl_transcript", "cdna": "ensembl_transcript"}
"""A sequence of a sort is asked of the molecule that has just one of it: a gene has several."""

_BY = re.compile(r"(?:_by(?:_member)?)?_(?:id|name|symbol|region|accession)$")

_RELATED = re.compile(
    r"\s*(?:orthologue|ortholog|homologue|homolog|counterpart)s?\s+of\s+(?:the\s+)?(?:gene\s+)?",
    re.IGNORECASE,
)
_TEXT = {"ontology": "get_ontology_name", "disease": "search_human_diseases", "keyword": "search_keywords",
         "location": "search_subcellular_locations", "ids": "esearch"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CallPlan:
    """A way over `bridges` from a `source` that the question names to the last call, of `last`."""

    question: str
    source: Entity
    others: tuple[Entity, ...]
    bridges: tuple[Bridge, ...]
    last: FittingEndpoint
    crossing: Crossing
    score: float
    confidence: float = 0.0

    def filling(self, value: str = _UNKNOWN) -> ArgumentFiller:
        """The last call's arguments, with what the bridges found in the place of the source."""
        held = replace(self.source, kind=self.bridges[-1].gives, text=value)
        entities = sorted([*self.others, held], key=lambda e: e.start)
        endpoint = endpoints()[self.last.endpoint]
        return ArgumentFiller(endpoint, self.question, entities, (), self.last.lesson, near=self.last.near)

    def next_call(self, earlier: Sequence[MadeCall]) -> EndpointCall | None:
        """The call after those made, or None after the last.

        Raises `LookupError` when the call before gave nothing to go on with, `CallRefused` when what it gave
        can't be right.
        """
        if len(earlier) > len(self.bridges):
            return None
        value = self.source.text
        for bridge, made in zip(self.bridges, earlier, strict=False):
            body = made.observation.response.json if made.observation else None
            found = bridge.pick(body)
            if found is None:
                raise LookupError(f"{made.call} gave no {bridge.gives.replace('_', ' ')} to go on with.")
            value = found
        if len(earlier) == len(self.bridges):
            return checked(self.filling(value))
        bridge = self.bridges[len(earlier)]
        return check(bridge.endpoint, bridge.arguments(replace(self.crossing, value=value)))


def plan(
    question: str,
    entities: tuple[Entity, ...],
    worded: Sequence[FittingEndpoint],
    single: Sequence[tuple[str, float]],
    *,
    strange: bool,
) -> CallPlan | None:
    """The best plan for a question whose words fit endpoints so well; None when nothing leads anywhere.

    `single` calls, with their scores, are rivals: the last call is as sure as the plan's lead over them and
    other plans, and the plan as sure as that call and all its bridges together. `strange` is as in
    `confidence`.
    """
    found: list[CallPlan] = []
    for source, others in _sources(question, entities, worded):
        crossing = _crossing(source, entities)
        for last in worded[:CONSIDERED]:
            # Those worded still worse can't come near the best, whatever they could take of what is named.
            if found and last.score + most_fit(entities) - A_BRIDGE < found[0].score - MOST_LEAD:
                break
            found += _from_source(question, source, others, last, crossing)
            found.sort(key=lambda p: (-p.score, len(p.bridges)))
    if not found:
        return None
    best = found[0]
    rivals = [one.score for one in found if one.last.endpoint != best.last.endpoint]
    rivals += [score for name, score in single if name != best.last.endpoint]
    end = confidence(best.score, best.score - max(rivals, default=0.0), strange=strange)
    return replace(best, confidence=round(end * CROSSED ** len(best.bridges), 3))


def _from_source(
    question: str, source: Entity, others: tuple[Entity, ...], last: FittingEndpoint, crossing: Crossing
) -> Iterator[CallPlan]:
    ways = paths(source.kind, MOST_BRIDGES)
    endpoint = endpoints()[last.endpoint]
    spent = [e for e in others if e.kind == "species"]
    held = endpoint.callable_parameters
    if "species" in held and not held["species"].required:  # said of what the bridges find
        others = tuple(e for e in others if e.kind != "species")
    for kind in dict.fromkeys(k for p in held.values() for k in takes(endpoint, p)):
        if kind not in ways or (endpoint.service == "eutils" and kind != "ids"):
            continue
        if alike(last.endpoint, ways[kind][-1].endpoint):  # it would tell what the bridge has told
            continue
        one = CallPlan(question, source, others, ways[kind], last, crossing, 0.0)
        filling = one.filling()
        if filling.missing or not any(e.text == _UNKNOWN for e in filling.used):
            continue
        if _MOLECULE.get(str(filling.arguments.get("type")), kind) != kind:
            continue
        if kind == "ids":
            database = filling.arguments.get("dbfrom") or filling.arguments.get("db", "")
            if (source.kind == "symbol") != (database == "gene"):
                continue
            one = replace(one, crossing=replace(crossing, database=str(database)))
        score = last.score + fit(filling, spent=spent) - A_BRIDGE * len(one.bridges)
        yield replace(one, score=score)


def alike(one: str, other: str) -> bool:
    """True if two endpoints give the same of a thing that each is told of in another way."""
    return _BY.sub("", one) == _BY.sub("", other)


def _sources(
    question: str, entities: tuple[Entity, ...], worded: Sequence[FittingEndpoint]
) -> Iterator[tuple[Entity, tuple[Entity, ...]]]:
    """Give the entities from which a plan may start, each with the others: a relative before all else."""
    if related := relative(question, entities):
        yield related, tuple(e for e in entities if e.end <= related.start or e.start >= related.end)
        return
    for source in entities:
        if source.kind in {"symbol", "uniprot", "variant", "ensembl_gene", "species"}:
            yield source, tuple(e for e in entities if e is not source)
        elif source.kind == "quoted":  # in quotes it is a name, whatever its words mean elsewhere
            yield replace(source, kind="text"), tuple(e for e in entities if e is not source)
    if any(e.kind in STRONG or e.kind == "species" for e in entities):
        return
    for one in worded:
        if one.endpoint in _TEXT.values() and (text := _text(question, entities, one)):
            yield text, tuple(e for e in entities if e.end <= text.start or e.start >= text.end)


def relative(question: str, entities: tuple[Entity, ...]) -> Entity | None:
    """The stretch that names a gene by a relative, "mouse orthologue of human BRCA2", with the symbol as text."""
    for species in (e for e in entities if e.kind == "species"):
        found = _RELATED.match(question, species.end)
        after = [e for e in entities if found and e.start >= found.end() and e.kind in {"species", "symbol"}]
        if found and after and after[0].start == found.end():
            symbol = next((e for e in after if e.kind == "symbol"), None)
            if symbol is not None:
                return Entity("orthologue", species.start, symbol.end, symbol.text)
    return None


def _text(question: str, entities: tuple[Entity, ...], one: FittingEndpoint) -> Entity | None:
    """The words that nothing else explains, as the endpoint that searches for them takes them."""
    filling = ArgumentFiller(endpoints()[one.endpoint], question, entities, (), one.lesson, near=one.near)
    taken = (filling.arguments.get(name) for name in ("name", "query", "term"))
    text = str(next(filter(None, taken), "")).strip('"')
    start = question.find(text) if text else -1
    end = start + len(text)
    # Words that hold the name of a database are more than what is searched for in it.
    mixed = set(text.lower().split()) & set(names.databases_said("entrez"))
    return None if start < 0 or mixed else Entity("text", start, end, text)


def _crossing(source: Entity, entities: Sequence[Entity]) -> Crossing:
    """Whose a source is: the species that the question names, human unless it says otherwise.

    Of a relative, the species that stands first is the other one.
    """
    human = names.all_species()["homo_sapiens"]
    said = [names.species_said()[e.text.lower()] for e in entities if e.kind == "species"]
    if source.kind == "species":
        return Crossing(source.text, names.species_said()[source.text.lower()])
    if source.kind == "orthologue":
        other, *own = said
        return Crossing(source.text, own[0] if own else human, other)
    return Crossing(source.text, said[0] if said else human)
