"""Checkpoints: their numbers, rewind and undo, and how they follow rewritten commits."""
