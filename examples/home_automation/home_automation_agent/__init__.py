"""A house that can be spoken to, built with Google ADK."""

from . import agent

__all__ = ["agent"]
