"""Learns the offline method's weights from the Spider training split; not needed to use them."""
