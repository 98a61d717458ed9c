"""Multi-phase relaxation where a phase costs what its frontier costs, and the search around it."""
