"""devs-git: checkpoints, rewind and gates for coding agents in a git repository."""

__version__ = "0.1.0"
