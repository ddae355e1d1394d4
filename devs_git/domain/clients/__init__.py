"""Each client: its hooks, transcripts, project files and environment."""
