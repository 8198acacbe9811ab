"""Fathom: ask databases in plain language, and measure how far each answer can be trusted."""
