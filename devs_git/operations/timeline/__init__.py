"""Read the stream of everything that was recorded, in pages."""
