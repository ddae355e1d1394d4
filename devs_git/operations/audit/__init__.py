"""The parts of `verify` that read a repository."""
