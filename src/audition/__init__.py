"""audition: write scenarios once, run them against any LLM agent, and get a verdict you can trust."""

__version__ = "0.1.0"
