"""What programs hold besides frames: rows, lists by query, labels beside scores."""
