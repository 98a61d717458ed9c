"""Placement by pixels, after the solver: by a reference picture."""
