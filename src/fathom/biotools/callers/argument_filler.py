"""Arguments from a question: each parameter takes the entities of its kind, in order, and words by cues."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from fathom.biotools.callers.entities import Entity
from fathom.biotools.callers.lessons import STOPWORDS, CallLesson, known_words
from fathom.biotools.callers.markers import CUES, FEATURES, TYPES, chosen
from fathom.biotools.callers.taken_kinds import takes
from fathom.biotools.catalogue import Endpoint, Parameter, names
from fathom.biotools.catalogue.kinds import is_nucleotide
from fathom.biotools.catalogue.word_search import stems

NEARLY_THE_SAME = 0.75
"""Cosine from which a solved example's fixed arguments are taken over."""

TEXTS = frozenset({"term", "query", "name", "taxon_name"})
"""Parameters that take words; one that takes entities as well comes to words last."""

_UNIPROT_FIELDS = {"UniProtKB", "UniParc", "GeneCentric", "Proteomes"}
_COUNTS = {"size", "retmax", "HITLIST_SIZE"}


class ArgumentFiller:
    """Fills the arguments of one endpoint from one question, and tells what was used and what is missing."""

    def __init__(
        self,
        endpoint: Endpoint,
        question: str,
        entities: Sequence[Entity],
        ids: Sequence[str],
        lesson: CallLesson,
        *,
        near: float = 0.0,
    ) -> None:
        self.near = near
        self.endpoint, self.question, self.entities = endpoint, question, entities
        self.ids, self.lesson = ids, lesson
        self.used: list[Entity] = []
        self.arguments: dict[str, Any] = {}
        self._fill()

    @property
    def missing(self) -> list[str]:
        """Needed parameters that nothing fills."""
        needed = [p.name for p in self.endpoint.callable_parameters.values() if p.required]
        if self.endpoint.name in {"efetch", "esummary", "elink"}:
            needed.append("id")
        return [name for name in needed if name not in self.arguments]

    @property
    def unused(self) -> list[Entity]:
        """Entities that the endpoint has no use for."""
        return [e for e in self.entities if e not in self.used]

    def _fill(self) -> None:
        for name, source in self.lesson.slots.items():
            self._from_lesson(name, source)
        held = self.endpoint.callable_parameters.values()
        for parameter in sorted(held, key=lambda p: (not p.required, p.name == "target_species")):
            if parameter.name not in self.arguments:
                self._from_entities(parameter)
        # A nearly equal question was asked before, so its arguments come first; otherwise the question's own
        # words do.
        for step in (self._imply, self._from_cues) if self.lesson.solved else (self._from_cues, self._imply):
            step()
        self._texts()
        self._species()

    def _imply(self) -> None:
        """Set the arguments that a lesson implies: all for nearly the same question, else those the endpoint
        needs."""
        for name, value in self.lesson.fixed.items():
            if self.near >= NEARLY_THE_SAME or self.endpoint.parameters[name].required:
                self.arguments.setdefault(name, value)

    def without(self, names: Iterable[str]) -> dict[str, Any]:
        """The arguments without those of the names that only a lesson implied."""
        implied = self.lesson.fixed.keys() & set(names)
        return {name: value for name, value in self.arguments.items() if name not in implied}

    def _from_lesson(self, name: str, source: str) -> None:
        if source == "context" and self.ids:
            self.arguments[name] = ",".join(self.ids)
        elif source == "digits" and (found := self._next(("variant",))):
            self.arguments[name] = re.sub(r"\D", "", found.text)
        elif source not in {"text", "context", "digits"} and (found := self._next((source,))):
            self.arguments[name] = found.text

    def _next(self, kinds: Sequence[str]) -> Entity | None:
        """The next unused entity of the kinds, those named first preferred."""
        for kind in kinds:
            for entity in self.entities:
                if entity.kind == kind and entity not in self.used:
                    self.used.append(entity)
                    return entity
        return None

    def _from_entities(self, parameter: Parameter) -> None:
        kinds = takes(self.endpoint, parameter)
        if parameter.name == "species" and self._species_by_place():
            return
        optional_kinds = {"species", "population", "ensembl_id"}
        if (
            kinds
            and parameter.kind != "entrez_database"
            and (parameter.required or parameter.name == "id" or parameter.kind in optional_kinds)
        ):
            if parameter.name in {"species_set", "display_species_set", "prune_species", "transcript_id"}:
                return
            if found := self._next(kinds):
                self.arguments[parameter.name] = found.text
        if (
            parameter.name == "id"
            and parameter.name not in self.arguments
            and self.ids
            and self.endpoint.service == "eutils"
        ):
            self.arguments["id"] = ",".join(self.ids)

    def _species_by_place(self) -> bool:
        """With two species, that of the gene stands next to it; with an Ensembl identifier, it is known."""
        named = [e for e in self.entities if e.kind == "species" and e not in self.used]
        if "target_species" not in self.endpoint.parameters or not named:
            return False
        genes = [e for e in self.entities if e.kind in {"symbol", "ensembl_gene"}]
        if genes and genes[0].kind == "ensembl_gene":
            own = species_of_id(genes[0].text)
            if own and names.species_said()[named[0].text.lower()] != own:
                self.arguments["species"] = own.name
                return True
        if len(named) > 1 and genes:
            nearest = min(named, key=lambda e: min(abs(e.end - genes[0].start), abs(genes[0].end - e.start)))
            self.used.append(nearest)
            self.arguments["species"] = nearest.text
            return True
        return False

    def _species(self) -> None:
        """Without a species in the question: that of an identifier or a population, else human."""
        parameter = self.endpoint.parameters.get("species")
        if parameter is None or not parameter.required or "species" in self.arguments:
            return
        if self.endpoint.tool == "Information" and "population_name" not in self.arguments:
            return
        owners = [o for e in self.entities if e.kind.startswith("ensembl") and (o := species_of_id(e.text))]
        goats = "nextgen" in str(self.arguments.get("population_name", "")).lower()
        self.arguments["species"] = owners[0].name if owners else "capra_hircus" if goats else "homo_sapiens"

    def _texts(self) -> None:
        for parameter in self.endpoint.callable_parameters.values():
            wanted = parameter.required and parameter.name in TEXTS and parameter.name not in self.arguments
            if wanted and (text := self._text(parameter)):
                self.arguments[parameter.name] = text
                self.used += [e for e in self.entities if e.kind == "star_allele" and e.text in text]

    def _text(self, parameter: Parameter) -> str:
        if parameter.name == "query" and self.endpoint.provider == "UniProt":
            return self._uniprot_query()
        quoted = [e for e in self.entities if e.kind == "quoted"]
        return quoted[0].text if quoted else self._rest({e for e in self.used if e.kind != "symbol"})

    def _uniprot_query(self) -> str:
        """A query in UniProt's language: genes and organisms by their fields, phrases in quotes."""
        parts = []
        if self.endpoint.tool in _UNIPROT_FIELDS:
            parts += [f"gene:{e.text}" for e in self.entities if e.kind == "symbol"]
            found = [names.species_said()[e.text.lower()] for e in self.entities if e.kind == "species"]
            parts += [f"organism_id:{s.taxon}" for s in found]
            parts += [f"organism_id:{e.text}" for e in self.entities if e.kind == "taxon"]
            if self.endpoint.tool == "UniProtKB" and re.search(
                r"\b(reviewed|swiss-?prot)\b", self.question, re.IGNORECASE
            ):
                parts.append("reviewed:true")
            if self.endpoint.tool == "Proteomes" and _said("reference", self.question):
                parts.append("proteome_type:1")
        if self.endpoint.tool in {"UniRef", "UniParc"}:
            parts += [f"uniprotkb:{e.text}" for e in self.entities if e.kind == "uniprot"]
        self.used += [
            e for e in self.entities if e.kind in {"symbol", "species", "taxon", "uniprot"} and parts
        ]
        quoted = [e.text for e in self.entities if e.kind == "quoted"]
        text = quoted[0] if quoted else self._rest(set(self.used) if parts else set())
        if text:
            parts.append(f'"{text}"' if " " in text else text)
        return " AND ".join(parts)

    def _rest(self, explained: set[Entity]) -> str:
        """The stretch of words that no phrasing and no entity explains."""
        spans = [(e.start, e.end) for e in explained]
        words = [
            m
            for m in re.finditer(r"[^\s?!]+", self.question)
            if not any(s <= m.start() < e for s, e in spans)
        ]
        telling = [m for m in words if self._telling(m[0])]
        if not telling:
            return self._after_cue(spans)
        start, end = telling[0].start(), telling[-1].end()
        leads = [m.end() for m in _LEADING.finditer(self.question) if m.end() <= start]
        within = leads and not any(leads[-1] <= s < start for s, _ in spans)
        text = self.question[leads[-1] if within else start : end].strip(" ,.;:'\"?!")
        return re.sub(r"^(?:the|a|an)\s+", "", text)

    def _telling(self, word: str) -> bool:
        found = stems(word)
        asked = STOPWORDS | known_words() | _ASKING
        return bool(found) and not all(w in asked for w in found) and word.lower() not in asked

    def _after_cue(self, spans: list[tuple[int, int]]) -> str:
        """The words at the end, after the last word that leads to what is asked about."""
        found = re.search(
            r".*\b(?:for|about|on|called|named|concern|concerns|concerning|matching|mention|like)\s+(?:(?:the|an?)\s+)?(.+?)[?.!]*$",
            self.question,
        )
        if found is None or any(s <= found.start(1) < e for s, e in spans):
            return ""
        return found[1].strip(" ,.;:'\"")

    def _from_cues(self) -> None:
        held = self.endpoint.callable_parameters
        said = self.question
        for parameter in held.values():
            if parameter.name in self.arguments or not parameter.enum or parameter.type != "string":
                continue
            if parameter.kind == "entrez_database":
                continue
            if value := _enumerated(parameter, said):
                self.arguments[parameter.name] = value
        if "feature" in held and held["feature"].required and (value := chosen(FEATURES, self._unnamed())):
            self.arguments["feature"] = value
        for name, choices in TYPES.items():
            if self.endpoint.name.startswith(name) and (value := chosen(choices, said)):
                self.arguments["type"] = value
        for name, pattern in CUES:
            if (
                name in held
                and name not in self.arguments
                and (found := re.search(pattern, said, re.IGNORECASE))
            ):
                self.arguments[name] = found[1] if found.groups() else True
        for name in _COUNTS & held.keys():
            if found := re.search(
                r"\b(?:first|top|at most|up to|limit(?:ed)? to)\s+(\d+)\b", said, re.IGNORECASE
            ):
                self.arguments[name] = int(found[1])
        {"map_assembly": self._assemblies, "blast": self._blast, "get_query_beacon": self._beacon,
         "esearch": self._databases, "efetch": self._databases, "esummary": self._databases, "elink": self._databases,
         "einfo": self._databases}.get(self.endpoint.name, lambda: None)()  # fmt: skip

    def _unnamed(self) -> str:
        """The question without what it names and the word before each, which says what that is: "SNP rs699"."""
        kept, at = "", 0
        for entity in self.entities:
            kept += re.sub(r"\w+\s+$", "", self.question[at : entity.start])
            at = max(at, entity.end)
        return kept + self.question[at:]

    def _assemblies(self) -> None:
        if (
            re.search(r"\bto\s+\S+.*\bfrom\b", self.question, re.IGNORECASE)
            and {"asm_one", "asm_two"} <= self.arguments.keys()
        ):
            first = re.search(r"\bto\s+(\S+)", self.question, re.IGNORECASE)
            if first and first[1].lower().startswith(str(self.arguments["asm_one"]).lower()):
                one, two = self.arguments["asm_one"], self.arguments["asm_two"]
                self.arguments |= {"asm_one": two, "asm_two": one}

    def _blast(self) -> None:
        query = str(self.arguments.get("QUERY", ""))
        found = [
            (said, name) for said, name in names.databases_said("blast").items() if _said(said, self.question)
        ]
        if "DATABASE" not in self.arguments and found:
            self.arguments["DATABASE"] = max(found, key=lambda f: len(f[0]))[1]
        nucleotide = is_nucleotide(query)
        program = re.search(r"\bt?blast[npx]\b", self.question, re.IGNORECASE)
        translated = {"blastx", "tblastn"} & {self.arguments.get("PROGRAM"), program and program[0].lower()}
        implied = names.databases("blast").get(str(self.arguments.get("DATABASE")))
        other = implied is not None and (implied.molecule == "protein") == nucleotide
        if other and not found and not translated:  # a lesson's, of a sequence of the other sort
            del self.arguments["DATABASE"]
        self.arguments.setdefault("DATABASE", "nt" if nucleotide else "nr")
        if program:
            self.arguments["PROGRAM"] = program[0].lower()
        elif "PROGRAM" not in self.arguments or self.arguments["PROGRAM"] in {"blastn", "blastp"}:
            database = names.databases("blast").get(str(self.arguments["DATABASE"]))
            in_proteins = database is not None and database.molecule == "protein"
            choices = ("blastx", "blastn") if nucleotide else ("blastp", "tblastn")
            self.arguments["PROGRAM"] = choices[0] if in_proteins else choices[1]

    def _beacon(self) -> None:
        left = [e for e in self.entities if e.kind == "allele" and e not in self.used]
        if left and "referenceBases" in self.arguments:
            self.used.append(left[0])
            self.arguments.setdefault("alternateBases", left[0].text)
        change = next((e for e in self.entities if e.kind == "change"), None)
        if change:
            self.used.append(change)
            self.arguments |= dict(
                zip(("referenceBases", "alternateBases"), change.text.split(">"), strict=True)
            )
        place = self._next(("position",))
        if place:
            name, start = place.text.split(":")
            self.arguments |= {"referenceName": name, "start": start}
        elif found := re.search(r"position\s+(\d[\d,]*)", self.question, re.IGNORECASE):
            self.arguments["start"] = found[1]
            self.used += [e for e in self.entities if e.text == found[1]]

    def _databases(self) -> None:
        """Entrez databases by name: of two, the source stands with the identifier."""
        found: list[tuple[int, int, str]] = []
        for said, name in sorted(names.databases_said("entrez").items(), key=lambda s: -len(s[0])):
            for match in re.finditer(rf"(?<![\w])\b{re.escape(said)}\b(?!\w)", self.question, re.IGNORECASE):
                if all(match.end() <= s or match.start() >= e for s, e, _ in found):
                    found.append((match.start(), match.end(), name))
        ids = [e for e in self.entities if e.kind in {"ids", "accession", "pmid", "uniprot"}]
        if self.endpoint.name == "elink" and len(found) >= 2 and ids:
            source = min(found, key=lambda f: abs(ids[0].start - f[1]))
            self.arguments |= {"dbfrom": source[2], "db": next(f[2] for f in sorted(found) if f != source)}
        elif found and "db" not in self.arguments:
            nearest = min(found, key=lambda f: abs(ids[0].start - f[1]) if ids else f[0])
            self.arguments["db"] = nearest[2]
        self.used += [e for e in self.entities if any(s <= e.start < end for s, end, _ in found)]


_LEADING = re.compile(
    r"\b(?:for|about|on|called|named|concern|concerns|concerning|matching|match|like|mention|mentions|trait|phenotype|term)\s+"
)
_ASKING = frozenset(
    "retriev fetch list display pull obtain return provid report need want look find search know inform detail entri record data avail "
    "relat associ correspond exist identifi term go databas ncbi ensembl uniprot genom gene protein".split()
)


def _enumerated(parameter: Parameter, question: str) -> str:
    """A value of an enumeration that the question says as a word, if it's telling enough."""
    for value in sorted(parameter.enum, key=lambda v: -len(str(v))):
        said = str(value).replace("_", " ")
        if len(said) >= 4 and parameter.name in _SAID and _said(said, question):
            return str(value)
    return ""


_SAID = frozenset({"unit", "object_type", "feature_type"})


def _said(phrase: str, question: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(phrase)}s?(?![\w])", question, re.IGNORECASE) is not None


def species_of_id(identifier: str) -> names.Species | None:
    """The species whose stable identifiers start as this one."""
    found = re.match(r"(ENS[A-Z]{0,6}?)[GTPE]\d{11}", identifier.upper())
    return names.species_of_prefix().get(found[1]) if found else None
