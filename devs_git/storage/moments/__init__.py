"""Makes, lists and reads moments. It moves no file and takes no lock of git."""
