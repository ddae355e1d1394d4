"""Find and remove a secret in the files and objects of a repository."""
