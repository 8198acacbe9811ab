"""The layouts in which benchmarks are published, each recognised by its files."""
