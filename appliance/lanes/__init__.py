"""One turn at a time in a session; many sessions at once."""
