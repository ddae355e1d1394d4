"""The git program, and the files of a git repository."""
