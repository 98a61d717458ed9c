"""Stages written by others: loading them, and checking that they keep the contracts."""
