"""Judging a transcript without acting: checks, matchers, and the questions that need a judge."""
