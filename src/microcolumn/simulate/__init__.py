"""Simulated recordings whose mechanism is known and lies outside the fitted model family."""

from .population import population

__all__ = ["population"]
