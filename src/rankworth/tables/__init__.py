"""Tables: columns with what must be said about them, as text, Markdown, LaTeX, HTML, CSV and JSON."""
