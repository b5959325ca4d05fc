"""JSON: one document, or an object in each line."""
