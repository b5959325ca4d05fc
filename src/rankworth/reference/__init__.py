"""Reference pages of measures and profiles, in Markdown; the terminal shows them, and the documentation holds them."""
