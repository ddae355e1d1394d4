"""Directives: write one, judge who wrote it, and hand it to the agent of its task."""
