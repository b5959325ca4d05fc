"""Measures of score matrices as training loops have them: arrays in, values of the same library and device out."""

from rankworth.tensors.accumulation import Accumulator
from rankworth.tensors.evaluation import BatchValues, ByMeasure, Prepared, evaluate, prepared

__all__ = ["Accumulator", "BatchValues", "ByMeasure", "Prepared", "evaluate", "prepared"]
