"""Rules by which documents of judgements and runs were renamed, once both are read: for signatures, and their use."""

from collections.abc import Sequence

from rankworth.model import Run
from rankworth.scoring.inputs import Judgements


def rules_for_ids(judgements: Judgements, run: Run) -> dict[str, str]:
    """Return the rules by which documents were renamed, and the column of their costs, as signatures say them."""
    if run.ids is judgements.ids is None and not run.cost_columns:
        return {}
    named = [unit if column == unit else f"{unit}={column}" for unit, column in run.cost_columns.items()]
    costs = {"cost": ",".join(named)} if named else {}
    rules = {"qrels_ids": judgements.ids, "run_ids": run.ids}
    labels = {name: rule.label for name, rule in rules.items() if rule is not None and not rule.is_of_sources}
    if not labels:
        return costs
    return costs | ({"ids": labels["run_ids"]} if len(labels) > len({*labels.values()}) else labels)


def refuse_unused_ids(runs: Sequence[Run], judgements: Judgements | None = None) -> None:
    """Refuse a rule for ids that fits no document of any run and of the judgements, once they are read.

    Raises:
        InputError: `unused-ids`.

    """
    rule = next((run.ids for run in runs if run.ids is not None and not run.ids.is_of_sources), None)
    are_judged_ones = judgements is not None and judgements.renamed
    if rule is not None and not are_judged_ones and not any(run.orders.renamed for run in runs):
        raise rule.unused(" and ".join(dict.fromkeys(run.name or "the run" for run in runs)))
