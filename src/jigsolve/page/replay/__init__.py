"""A solve told again: its story as data, as a page that plays it, as an animation."""
