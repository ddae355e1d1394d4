"""What differs between two trees, or between a tree and the working tree."""
