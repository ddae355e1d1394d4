"""Calls of tools by agents: whether a call only reads, which files it edits, and whether it is one of our own."""
