"""A local page that takes rankings apart: numbers of the library for every edit, by handlers from dict to dict."""
