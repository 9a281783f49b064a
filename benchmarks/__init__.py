"""How fast audition is, beside a plain loop that does the same calls in the same run."""
