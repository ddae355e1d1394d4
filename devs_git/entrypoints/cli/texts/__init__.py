"""How results look to people on a terminal and in a pipe."""
