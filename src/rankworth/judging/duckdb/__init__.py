"""Engines that hold a run where it lies: what they are asked is text, what they answer are columns."""
