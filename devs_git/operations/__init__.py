"""What several commands and entry points do with an open workspace."""
