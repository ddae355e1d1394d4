"""Commands that set up or look after a repository."""
