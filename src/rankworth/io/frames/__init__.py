"""Frames: tables of any library, Parquet and Arrow, and what the names of their columns mean."""
