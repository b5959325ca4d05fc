"""Rankings that are changed: other orders of ties, other grades of unjudged documents, and bounds over both."""
