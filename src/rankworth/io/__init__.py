"""Readers and writers: whatever judgements and runs come in, checked columns go out; nothing else touches a file.

A reader knows shapes and columns. It knows neither measures nor what the numbers will be used for.
"""
