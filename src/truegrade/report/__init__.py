"""Pictures and pages of a fit."""
