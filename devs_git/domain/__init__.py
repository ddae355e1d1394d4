"""Values and decisions: standard library only, no IO, no clock, no randomness."""
