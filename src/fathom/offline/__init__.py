"""The method that needs no language model: linking, grammar, joins, ranking; CPU only."""
