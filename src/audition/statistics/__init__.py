"""How sure we are: intervals and rates over repeated trials, as pure functions."""
