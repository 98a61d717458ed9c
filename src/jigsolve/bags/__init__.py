"""Bags of pieces of several pictures."""
