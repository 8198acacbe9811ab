import pytest

from fathom.biotools.catalogue.names import all_species
from fathom.biotools.loopback.world import gene_of_id, gene_of_symbol


@pytest.mark.parametrize("symbol", ["BRCA2", "LMP10", "A", "ZZZZZZ", "0A"])
@pytest.mark.parametrize("species", ["homo_sapiens", "mus_musculus"])
def test_a_gene_has_its_symbol_whoever_tells_of_it(species: str, symbol: str) -> None:
    gene = gene_of_symbol(all_species()[species], symbol)
    again = gene_of_id(gene.id)
    assert again is not None
    assert (gene.symbol, again.symbol, again.species.name) == (symbol, symbol, species)
