"""The tables about drugs: one row a drug, one a use, one a licence, one a package."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fathom.benchmarks.biomed import facts, tables
from fathom.benchmarks.biomed.facts import Drug, Indication
from fathom.benchmarks.biomed.randomness import Ints, RandomStream
from fathom.benchmarks.biomed.tables import Chunk, RowSource

_ROMAN = {0: "0", 1: "I", 2: "II", 3: "III", 4: "IV"}
_LABELERS = (
    "Northfield Pharma", "Harbour Generics", "Larkspur Laboratories", "Meridian Biologics", "Oakmoor Health",
    "Tessera Therapeutics", "Bluewater Drugs", "Cedar Point Medical", "Ardent Life Sciences",
)  # fmt: skip
_FORMS = {
    "Small molecule": (("TABLET, FILM COATED", "ORAL"), ("TABLET", "ORAL"), ("CAPSULE", "ORAL"),
                       ("SOLUTION", "ORAL"), ("PATCH", "TRANSDERMAL")),
    "Protein": (("INJECTION, SOLUTION", "SUBCUTANEOUS"), ("KIT", "SUBCUTANEOUS")),
    "Antibody": (("INJECTION, SOLUTION", "INTRAVENOUS"), ("INJECTION, SOLUTION", "SUBCUTANEOUS")),
    "Oligonucleotide": (("INJECTION, SOLUTION", "INTRATHECAL"), ("INJECTION, SOLUTION", "SUBCUTANEOUS")),
}  # fmt: skip
_DOSES = (1, 2, 2.5, 5, 10, 20, 25, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 800, 1000)
_BIOLOGICS = ("Antibody", "Protein")
_MOLECULES = ("Small molecule",) * 7 + ("Antibody", "Antibody", "Protein", "Oligonucleotide")
_ACTIONS = ("inhibitor", "inhibitor", "antagonist", "agonist", "positive modulator", "blocker")


class Pharmacy:
    """The drugs of one knowledge base: those that people know, then made-up research compounds "FTM-..."."""

    def __init__(self, seed: int, rows: int) -> None:
        self.seed, self.random = seed, RandomStream(seed, "drugs")
        known = facts.drugs()
        self.genes = facts.genes()
        self.indications = facts.indications()
        self.drugs = [*known, *(self._compound(i) for i in range(max(rows - len(known), 0)))]

    def _compound(self, number: int) -> Drug:
        """A made-up compound under study, never approved."""
        u = [float(self.random[f"compound/{k}"].uniform(np.array([number]))[0]) for k in range(12)]
        genes, diseases = sorted(self.genes), sorted(self.indications)
        targets = tuple(dict.fromkeys(genes[int(x * len(genes))] for x in u[: 1 + (u[9] < 0.3)]))
        uses = {
            diseases[int(x * len(diseases))]: (0.5, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0)[int(x * 7919 % 7)]
            for x in u[3 : 4 + int(u[8] * 4)]
        }
        action = _ACTIONS[int(u[10] * len(_ACTIONS))]
        return Drug(
            name=f"FTM-{10_000 + number}",
            type=_MOLECULES[int(u[11] * len(_MOLECULES))],
            action=action,
            mechanism=f"{self.genes[targets[0]].name} {action}",
            targets=targets,
            year=None,
            usan=None,
            black_box=False,
            withdrawn=False,
            trades=(),
            synonyms=(f"FTM{10_000 + number}",),
            indications=uses,
        )

    def chembl(self, number: int) -> str:
        """A made-up identifier in ChEMBL's format."""
        return f"CHEMBL9{number:06d}"

    def efo(self, code: str) -> str:
        """The identifier of a disease, made up in EFO's format where we have none."""
        return self.indications[code].efo_id or f"EFO:99{list(self.indications).index(code):05d}"


def _source(table: str, prefix: str, rows: int, record: Callable[[int], Sequence[Any]]) -> RowSource:
    """A table whose rows are made one by one: `record` gives all columns but the UUID, in order."""
    names = [n for n in tables.COLUMNS[table] if n != "UUID"]

    def chunk(start: int, stop: int) -> Chunk:
        records = [record(i) for i in range(start, stop)]
        found: Chunk = {"number": np.arange(start, stop)}
        for name, values in zip(names, zip(*records, strict=True), strict=True):
            found[name] = array(values, tables.COLUMNS[table][name])
        return found

    return RowSource(table, rows, chunk, {"UUID": f"'{prefix}' || number"})


def array(values: Sequence[Any], kind: str) -> Any:
    """A column as an array; numbers stay numbers, None becomes NULL (of a number, NaN does)."""
    if kind == "BOOLEAN":
        return np.array(values, dtype=bool)
    if kind == "VARCHAR":
        return np.array(values, dtype=object)
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def annotations(pharmacy: Pharmacy) -> RowSource:
    """One row a drug, with everything joined into text."""

    def record(i: int) -> Sequence[Any]:
        drug = pharmacy.drugs[i]
        linked = [f"{pharmacy.indications[c].mesh_heading} ({pharmacy.efo(c).replace(':', '_')})"
                  for c in drug.indications]  # fmt: skip
        targets = [f"{t} ({facts.ensembl(t)})" for t in drug.targets]
        synonyms = sorted({drug.name, *drug.synonyms}, key=str.casefold)
        return (
            pharmacy.chembl(i), drug.black_box, drug.name, drug.type, drug.year or 0, int(drug.phase),
            drug.withdrawn, drug.phase == 4, ", ".join(sorted(drug.trades)), ", ".join(synonyms),
            ", ".join(linked), len(linked), ", ".join(targets), len(targets),
            _description(drug, pharmacy.indications), drug.action, drug.mechanism, len(drug.trades),
            len(synonyms),
        )  # fmt: skip

    return _source(tables.DRUGS, "DrugGeneTargets_v2_", len(pharmacy.drugs), record)


def _description(drug: Drug, indications: Mapping[str, Indication]) -> str:
    """A sentence or two that sum a drug up."""
    approved = [indications[c].efo_term for c, phase in drug.indications.items() if phase == 4]
    studied = len(drug.indications) - len(approved)
    text = f"{drug.type} drug with a maximum clinical trial phase of {_ROMAN[int(drug.phase)]}"
    text += " (across all indications)" if len(drug.indications) > 1 else ""
    text += f" that was first approved in {drug.year}" if drug.year else ""
    uses = [f"is indicated for {' and '.join(approved)}"] if approved else []
    if studied:
        uses.append(f"has {studied} investigational indication{'s' if studied > 1 else ''}")
    text += " and " + " and ".join(uses) + "." if uses else "."
    text += " It was withdrawn in at least one region." if drug.withdrawn else ""
    return text + (" This drug has a black box warning from the FDA." if drug.black_box else "")


def indications(pharmacy: Pharmacy, rows: int) -> RowSource:
    """One row for each drug, use, target, trade name and patent; at least one for each use and target."""
    bases = [
        (i, code, target)
        for i, drug in enumerate(pharmacy.drugs)
        for code in drug.indications
        for target in drug.targets
    ]
    patents = RandomStream(pharmacy.seed, "patents")

    def record(row: int) -> Sequence[Any]:
        i = bases[row % len(bases)][0]
        drug, again = pharmacy.drugs[i], row // len(bases)
        trade, patent = None, None
        if drug.trades:
            trade = drug.trades[again % len(drug.trades)].title()
            patent = _patent(patents, i * 100_003 + again // len(drug.trades))
        return _use(pharmacy, bases[row % len(bases)], trade, patent)

    return _source(tables.INDICATIONS, "DrugTargetsIndication121923_text_", max(rows, len(bases)), record)


def _patent(stream: RandomStream, number: int) -> str | None:
    """A made-up patent number; some uses have none, some are paediatric extensions."""
    u = float(stream.uniform(np.array([number]))[0])
    if u < 0.15:
        return None
    return f"9{int(u * 1e7):07d}" + ("*PED" if u > 0.9 else "")


def _use(
    pharmacy: Pharmacy, base: tuple[int, str, str], trade: str | None, patent: str | None
) -> Sequence[Any]:
    """The columns of one use."""
    i, code, target = base
    drug, disease = pharmacy.drugs[i], pharmacy.indications[code]
    phase = drug.indications[code]
    # A few uses were never mapped to the second ontology.
    mapped = (i * 31 + len(code) * 7 + ord(code[0])) % 20 != 0
    return (
        pharmacy.chembl(i), drug.name, trade, drug.type, drug.action,
        "single protein" if len(drug.targets) == 1 else "protein complex group", facts.ensembl(target),
        target, pharmacy.genes[target].name, drug.year, drug.usan, patent, phase, disease.mesh_id,
        disease.mesh_heading, pharmacy.efo(code) if mapped else None, disease.efo_term if mapped else None,
        str(sorted(drug.trades)), len(drug.trades), str(sorted((drug.name, *drug.synonyms))),
        len(drug.synonyms) + 1, f"reached phase {phase:g} clinical trials",
    )  # fmt: skip


def licenses(pharmacy: Pharmacy, rows: int) -> RowSource:
    """One row for each licensed presentation of a biologic."""
    biologics = [i for i, d in enumerate(pharmacy.drugs) if d.type in _BIOLOGICS and d.trades]
    strengths = RandomStream(pharmacy.seed, "strengths")

    def record(row: int) -> Sequence[Any]:
        i, again = biologics[row % len(biologics)], row // len(biologics)
        drug = pharmacy.drugs[i]
        dose = _DOSES[int(strengths.below(np.array([row]), len(_DOSES))[0])]
        form, route = _FORMS[drug.type][again % len(_FORMS[drug.type])]
        return (
            _LABELERS[i % len(_LABELERS)], f"7{i:05d}", drug.trades[again % len(drug.trades)], drug.name,
            drug.name.lower(), "351(a)" if again % len(drug.trades) == 0 else "351(k) Biosimilar",
            f"{dose:g}MG/ML", form.title(), route.title(),
            ("Single-Dose Vial", "Pre-Filled Syringe", "Autoinjector")[again % 3],
            "Disc" if drug.withdrawn else "Rx", "Licensed", "BLA", f"{1000 + i}", f"{again + 1:03d}", "CDER",
        )  # fmt: skip

    return _source(tables.LICENSES, "DrugTargets_licensing_UUID_", max(rows, 2 * len(biologics)), record)


def dosages(pharmacy: Pharmacy, rows: int) -> RowSource:
    """One row for each package of a drug on the market."""
    sold = [i for i, d in enumerate(pharmacy.drugs) if d.trades]
    random = RandomStream(pharmacy.seed, "dosages")

    def record(row: int) -> Sequence[Any]:
        i, again = sold[row % len(sold)], row // len(sold)
        drug = pharmacy.drugs[i]
        pick = _picks(random, row)
        forms = _FORMS[drug.type]
        form, route = forms[pick[0] % len(forms)]
        dose, size = _DOSES[pick[1] % len(_DOSES)], (30, 60, 90, 100, 500)[pick[2] % 5]
        unit = "mg/1" if route == "ORAL" else "mg/mL"
        package = f"{size} {form.split(',')[0]} in 1 BOTTLE" if unit == "mg/1" else "1 VIAL in 1 CARTON"
        return (
            "HUMAN PRESCRIPTION DRUG" if pick[3] % 10 else "HUMAN OTC DRUG",
            drug.trades[again % len(drug.trades)], drug.name, form, route,
            _LABELERS[pick[4] % len(_LABELERS)],
            f"{dose:g}", unit, f"{drug.mechanism} [MoA]" if pick[5] % 8 else None, package,
        )  # fmt: skip

    return _source(tables.DOSAGES, "DrugTargets_usesDosages_UUID_", max(rows, 2 * len(sold)), record)


def _picks(random: RandomStream, row: int) -> list[int]:
    """Six numbers for one row."""
    rows: Ints = np.arange(6) + 6 * row
    return [int(x) for x in random.below(rows, 1_000_003)]
