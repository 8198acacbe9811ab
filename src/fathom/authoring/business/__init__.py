"""Business questions of any database, as BI-Bench's were made."""

from fathom.authoring.business.pipeline import BusinessPlan, business_maker

__all__ = ["BusinessPlan", "business_maker"]
