"""mini-dev's questions over its databases, those without a file stood in for by made-up rows."""

from bench.mini_dev.items import Item, real_databases, sample

__all__ = ["Item", "real_databases", "sample"]
