"""Text formats, read and edited byte for byte."""
