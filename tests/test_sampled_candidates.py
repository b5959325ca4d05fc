"""One relevant document among a fixed number of candidates: what evaluate says of it, in the words of check."""

import pytest

import rankworth as rw

QRELS = {f"u{user}": {f"i{user}": 1} for user in range(12)}


def among(size: int) -> dict[str, list[str]]:
    """Rank the relevant item of each user among others, at rank 2."""
    return {
        user: [f"{user}x0", item, *(f"{user}x{place}" for place in range(1, size - 1))]
        for user, [item] in QRELS.items()
    }


@pytest.mark.parametrize("size", [51, 100, 101, 501, 1001])
def test_sampled_candidates_are_told(size: int) -> None:
    with pytest.warns(rw.RankworthWarning, match=rf"1 relevant document among {size:,} for 12 queries, as where cand"):
        values = rw.evaluate(QRELS, among(size), ["RR"])
    assert values["RR"] == 1 / 2
    assert [notice.slug for notice in values.notices] == ["sampled-candidates"]
    [finding] = [
        each for each in rw.check(QRELS, {"a": among(size)}, ["RR"]).findings if each.slug == "sampled-candidates"
    ]
    assert finding.text == f"a {values.notices[0].text.removeprefix('the run ')}"


@pytest.mark.parametrize("size", [20, 99, 500])
def test_rankings_of_other_lengths_are_only_found_by_check(size: int) -> None:
    assert rw.evaluate(QRELS, among(size), ["RR"]).notices == ()


def test_a_ranking_that_misses_a_relevant_document_is_no_sample() -> None:
    run = among(101)
    run["u0"] = [*run["u0"][2:], "y", "z"]
    assert rw.evaluate(QRELS, run, ["RR"]).notices == ()


def test_few_users_are_no_sample() -> None:
    qrels = {user: QRELS[user] for user in ("u1", "u2", "u3")}
    run = {user: items for user, items in among(101).items() if user in qrels}
    assert rw.evaluate(qrels, run, ["RR"]).notices == ()
