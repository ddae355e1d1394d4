"""Checkpoints: how they are numbered, undone, brought back and moved to rewritten commits."""
