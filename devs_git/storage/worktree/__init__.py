"""The engine that moves working trees: it surveys, captures, writes a journal, moves, and recovers after a crash."""
