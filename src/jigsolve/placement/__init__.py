"""What pixels say about places, after the solver."""
