"""devs-git: a memory and brakes for coding agents in a git repository."""

__version__ = "0.1.0"
