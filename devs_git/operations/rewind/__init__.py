"""Plan a return to an earlier state, and carry it out."""
