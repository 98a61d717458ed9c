"""How far an answer can be believed."""
