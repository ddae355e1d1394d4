"""What was printed and said: traces and conversations, and how they are searched."""
