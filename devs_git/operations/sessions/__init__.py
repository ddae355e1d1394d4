"""Sessions of clients that we write."""
