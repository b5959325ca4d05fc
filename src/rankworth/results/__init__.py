"""Values of an evaluation: what they are, how they are shown, stored and read again."""
