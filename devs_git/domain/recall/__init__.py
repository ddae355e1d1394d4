"""Traces and conversations, and how they are searched."""
