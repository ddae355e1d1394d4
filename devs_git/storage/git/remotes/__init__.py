"""Remotes: how they are named, and what they have."""
