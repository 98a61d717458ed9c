"""What a running solve stands on: workers, clock, events, memory, errors. No puzzle in sight."""
