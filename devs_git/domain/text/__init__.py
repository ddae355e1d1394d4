"""Text formats: what is read from them and written to them, byte for byte."""
