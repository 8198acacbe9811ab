"""The sample shop: customers, orders, payments and staff, all made up.

`fathom.connect("demo:shop")` reaches it.
"""

from fathom.benchmarks.shop.demo import shop
from fathom.benchmarks.shop.shop import build

__all__ = ["build", "shop"]
