"""Accessions of UniProt that no longer name an entry: merged into another, split, or deleted."""

from dataclasses import dataclass

from fathom.biotools.observations.parts import Json, at, pruned

_ENTRY = "get_uniprotkb_entry"
_WORDS = {"MERGED": "was merged into", "DEMERGED": "was split into", "DELETED": "was deleted from UniProtKB"}


@dataclass(frozen=True, slots=True)
class OldAccession:
    """An accession without an entry of its own; `successors` took its place."""

    accession: str
    told: str
    successors: tuple[str, ...]


def old_accession(endpoint: str, body: Json) -> OldAccession | None:
    """The old accession that an answer of UniProt is about; None for an entry that is there."""
    reason = at(body, "inactiveReason")
    if endpoint != _ENTRY or not isinstance(reason, dict):
        return None
    accession = str(at(body, "primaryAccession"))
    successors = tuple(map(str, at(reason, "mergeDemergeTo") or ()))
    kind = str(at(reason, "inactiveReasonType"))
    words = [accession, _WORDS.get(kind, f"is inactive ({kind})"), " and ".join(successors)]
    why = at(reason, "deletedReason")
    told = " ".join(filter(None, words)) + (f" ({why})" if why else "")
    return OldAccession(accession, f"{told}.", successors)


def without_entry(old: OldAccession) -> Json:
    """The observation of an old accession."""
    return pruned(
        {
            "accession": old.accession,
            "entryType": "Inactive",
            "reason": old.told,
            "successors": list(old.successors),
        }
    )


def followed(endpoint: str, asked: str, body: Json) -> str:
    """Tell that UniProt answered with the entry that took the place of the one asked for, or ""."""
    found = at(body, "primaryAccession")
    if endpoint != _ENTRY or not isinstance(found, str) or found == asked.partition("-")[0]:
        return ""
    return f"{asked} is an old accession of {found}."
