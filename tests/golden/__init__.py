"""What other tools gave for small hard cases, how rankworth is asked for the same, and how close it comes."""
