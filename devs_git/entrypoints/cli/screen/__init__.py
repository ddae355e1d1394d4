"""What only a terminal needs: its size, a pager, tables that are as wide as it."""
