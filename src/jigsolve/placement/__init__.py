"""Placement by pixels, after the solver: by a reference picture, and of flat bands at the edges."""
