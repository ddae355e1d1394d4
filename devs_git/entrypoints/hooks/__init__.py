"""Entry points for git hooks and for the hooks of clients."""
