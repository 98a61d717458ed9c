"""The data model: pieces, layouts, geometry, pins, scores."""
