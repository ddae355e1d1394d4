"""Ask for a gate, decide on it, and land what was approved."""
