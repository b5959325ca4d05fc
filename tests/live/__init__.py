"""Live tests: other tools are run on random collections, and their numbers are held against those of their profiles."""
