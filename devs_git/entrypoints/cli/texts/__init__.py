"""Results as text for people, on a terminal and in a pipe."""
