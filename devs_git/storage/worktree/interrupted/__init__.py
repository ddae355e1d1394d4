"""A move that was interrupted: it is finished, or taken back."""
