"""Text: TREC's lines, and tables with delimiters."""
