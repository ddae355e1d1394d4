"""What a resumed session is told: the bundle, its text, and what is left out of it."""
