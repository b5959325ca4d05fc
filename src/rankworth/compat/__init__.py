"""Interfaces of other tools, computed by rankworth: a program changes its import and keeps its calls and its values."""
