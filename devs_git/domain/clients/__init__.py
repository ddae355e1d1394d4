"""What is known of each client: its hooks, its transcripts, its project files and its environment."""
