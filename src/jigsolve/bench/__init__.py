"""Campaigns over folders of pictures, and tables of how they went beside what is published."""
