"""Phases of the relaxation that look only at the frontier of the block."""
