"""Archives of checkpoints: how they are written and read, and what a server asks of them."""
