"""A compatibility for drawn pieces: text, user interfaces, charts, maps, line art. See `drawing.py`."""
