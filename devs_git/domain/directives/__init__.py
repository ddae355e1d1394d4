"""Directives: what a person tells the agent of a task, whose word counts, and how it is put before the model."""
