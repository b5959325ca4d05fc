"""From judged runs and settings to columns: the value of each query, and how much it counts."""
