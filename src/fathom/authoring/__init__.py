"""Making and auditing benchmarks."""
