"""Processes of our own for work that may crash, grow or never end.

`child` is the side that starts and kills one, `inside` what runs in it, `messages` what they exchange.
"""
