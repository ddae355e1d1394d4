"""Sessions in the forms of clients, as they are written for them."""
