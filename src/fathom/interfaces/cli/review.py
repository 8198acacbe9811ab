"""`fathom review`: people's work, given out blind and settled. A module for each part of it."""

from fathom.interfaces.cli import review_files, review_projects, review_results
from fathom.interfaces.cli.review_app import review

__all__ = ["review", "review_files", "review_projects", "review_results"]
