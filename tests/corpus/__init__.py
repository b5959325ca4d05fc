"""What rankworth answers to some hundred commands and calls: cases, the files they read, and what was answered."""
