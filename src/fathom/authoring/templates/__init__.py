"""Triples of question, query and answer from templates, as BiomedSQL's were made (Koretsky et al. 2025)."""

from fathom.authoring.templates.pipeline import TemplatePlan, template_maker
from fathom.authoring.templates.template_file import SHIPPED, TemplateSet, read_templates

__all__ = ["SHIPPED", "TemplatePlan", "TemplateSet", "read_templates", "template_maker"]
