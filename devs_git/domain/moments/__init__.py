"""Moments: the state of a worktree between checkpoints, kept without moving anything."""
