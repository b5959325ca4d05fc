"""Pipelines: stages behind one another, what each loses, and settings of fusion that hold on other queries."""

from rankworth.pipelines.refusal import silence as silence
from rankworth.pipelines.refusal_result import Silence as Silence
from rankworth.pipelines.tracing import Trace as Trace
from rankworth.pipelines.tracing import trace as trace
from rankworth.pipelines.tuning import Tuning as Tuning
from rankworth.pipelines.tuning import tune as tune
