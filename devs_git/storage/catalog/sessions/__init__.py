"""What the catalog knows of sessions: their prompts, their calls, how these ended, and signs that a session is live."""
