"""The one engine that moves working trees (DESIGN 4): survey, capture, journal, move, and recovery.

rewind, undo, checkout and restore use it; nothing else of ours writes a user's files. What it guarantees:
content that was on disk or in the index when it began is, when it ends or was recovered, on disk or in a backup ref.
"""
