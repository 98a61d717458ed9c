"""The replay of a solve: its timeline as data, as a page that plays it, as an animation."""
