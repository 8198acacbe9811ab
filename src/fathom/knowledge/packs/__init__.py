"""The knowledge packs that come with Fathom; each is the path of its file."""

from pathlib import Path

biomed = Path(__file__).with_name("biomed.yaml")
shop = Path(__file__).with_name("shop.yaml")
