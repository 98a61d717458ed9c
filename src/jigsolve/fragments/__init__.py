"""Fragments: what is believed of a bag that fills no grid, such as a cache with parts of many screens."""
