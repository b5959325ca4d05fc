"""Files for fuzzing, written and read by plain Python, csv, json and PyArrow without any of rankworth's readers.

`material` makes collections, `texts`, `objects` and `columns` write them in the ways that each format allows,
`mutations` damages them, `naive*` read them strictly, and `trials` compares what rankworth does with all that.
"""
