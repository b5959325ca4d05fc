"""Every measure against arithmetic and against values that others gave; how measures are defined and named."""

import pytest

import rankworth as rw
from rankworth.errors import MeasureError
from rankworth.measures import CATALOGUE, Terms, building_blocks, measure
from rankworth.measures.parameters import Parameter
from reference_values import EXAMPLES, REFERENCES, Example, Reference


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one.measure}-{one.ranking}")
def test_the_value_is_what_arithmetic_says(example: Example) -> None:
    value = rw.score(example.ranking, example.measure, missing=example.missing)
    assert value == pytest.approx(example.value, rel=4e-16, abs=0)


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda one: f"{one.measure} {one.source}")
def test_the_value_is_what_others_say(reference: Reference) -> None:
    value = rw.score(reference.ranking, reference.measure, missing=reference.missing)
    assert value == pytest.approx(reference.value, rel=0, abs=reference.tolerance)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_measure_has_reference_values(name: str) -> None:
    examples = [one for one in EXAMPLES if rw.parse(one.measure).name == name]
    references = [one for one in REFERENCES if rw.parse(one.measure).name == name]
    if not examples or not references:
        pytest.fail(
            f"{name} has no reference values yet: add to tests/reference_values.py an Example (the formula with "
            "numbers in it) and a Reference (a value that somebody else gave, with its source)"
        )
    used = {parameter for one in examples for parameter, _ in rw.parse(one.measure).settings}
    unused = set(CATALOGUE[name].definition.parameters) - used - {"rel"}
    assert not unused, f"{name}: give examples for {unused}"


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_docstring_has_the_one_shape(name: str) -> None:
    documentation = CATALOGUE[name].definition.function.__doc__ or ""
    for part in ("Args:", "Range: ", "Unjudged: ", "Ties: ", "Source: ", "https://doi.org/", ">>> "):
        assert part in documentation, f"{name}: {part!r} is missing"
    for parameter in CATALOGUE[name].definition.parameters:
        assert f"{parameter}: " in documentation


def test_the_parameters_are_read_from_the_signature() -> None:
    parameters = rw.nDCG.definition.parameters
    assert list(parameters) == ["gain", "rel", "ideal", "discount", "base", "floor"]
    kinds = "linear or exp2 or binary or signed or signed-exp2 or gains by grade such as {1: 1, 2: 3}"
    assert parameters["gain"].domain() == kinds
    assert isinstance(parameters["ideal"], Parameter)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", r"no measure is called 'nDGC'; did you mean nDCG\?   \[unknown-measure\]"),
        ("mpa", r"no measure is called 'mpa'; did you mean MAP\? \(AP\)   \[unknown-measure\]"),
        ("xyzzy", r"no measure is called 'xyzzy'; there are "),
        ("P(rel=x)@5", r"P\(rel=x\): rel is a number   \[bad-parameter\]"),
        ("P(relevance=2)@5", r"P has no parameter 'relevance'; it has: rel, norm   \[unknown-parameter\]"),
        ("RBP(p=1)", r"RBP\(p=1\): p is a number between 0 and 1   \[bad-parameter\]"),
        ("INST(ranks=2.5)", r"ranks is a whole number from 1 to 100000   \[bad-parameter\]"),
        ("INST(T=0.4)", r"T is a number from 0.5 to 1000   \[bad-parameter\]"),
        ("nDCG(rel=2)@5", r"nDCG\(rel=2\): rel means something beside gain=binary only   \[bad-parameter\]"),
        ("Bpref(no_nonrelevant=2)", r"no_nonrelevant is undefined or a number from 0 to 1   \[bad-parameter\]"),
        ("RBP(ranks=0)", r"ranks is a whole number from 1 to 100000 or None   \[bad-parameter\]"),
        ("AP(norm=r)", r"AP\(norm=r\): norm is R or found or min\(k,R\) or min\(k,n,R\) or k   \[bad-parameter\]"),
        ("P@0", r"'P@0': a cutoff is a whole number from 1, not '0'   \[bad-cutoff\]"),
        ("P@1.5", r"a cutoff is a whole number from 1, not '1.5'"),
        ("P@", r"a cutoff is a whole number from 1, not ''"),
        ("@10", r"'@10' is not written as a measure"),
        ("P(2)@10", r"a parameter is written name=value, not '2'"),
        ("nDCG(gain={1:x})", r"gains by grade such as"),
        ("nDCG(gain={})", r"gains by grade such as \{1: 1, 2: 3\}"),
        ("nDCG(gain={1: inf})", r"gain is linear or exp2 or binary or signed or signed-exp2 or gains by grade"),
        ("", r"'' is not written as a measure"),
    ],
)
def test_a_mistake_in_a_name_is_named(text: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        rw.parse(text)


def test_all_mistakes_of_a_list_are_reported_at_once() -> None:
    with pytest.raises(MeasureError) as caught:
        rw.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, ["nDGC", "P@x", "AP", "foo_bar_baz"])
    assert caught.value.slugs == ("unknown-measure", "bad-cutoff", "unknown-measure")
    assert str(caught.value).count("\n") == 2


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("MAP", "AP"),
        ("map_cut_100", "AP@100"),
        ("mrr@10", "RR@10"),
        ("recip_rank", "RR"),
        ("Recall@5", "R@5"),
        ("recall_100", "R@100"),
        ("P_5", "P@5"),
        ("precision@5", "P@5"),
        ("success_1", "Success@1"),
        ("hit_rate@3", "Success@3"),
        ("HitRate@3", "Success@3"),
        ("f1@3", "F@3"),
        ("r-precision", "Rprec"),
        (" nDCG ( gain = exp2 ) @ 10 ", "nDCG(gain=exp2)@10"),
        ("nDCG(ideal=judged)@10", "nDCG@10"),
        ("P(rel=2.0)@5", "P(rel=2)@5"),
        ("AP(norm=min(k, R), rel=2)@5", "AP(rel=2, norm=min(k,R))@5"),
        ("nDCG(gain={2: 3.0, 1: 1})@5", "nDCG(gain={1: 1, 2: 3})@5"),
        ("nDCG(gain='exp2')", "nDCG(gain=exp2)"),
        ("RBP(max_grade=None)", "RBP"),
        ("P()@5", "P@5"),
    ],
)
def test_other_spellings_have_one_canonical_form(text: str, canonical: str) -> None:
    assert str(rw.parse(text)) == canonical


def test_measures_are_made_by_calling_and_cutting() -> None:
    assert str(rw.AP(rel=2) @ 100) == "AP(rel=2)@100"
    assert rw.AP(rel=2)(rel=1) == rw.AP
    assert rw.nDCG(gain={1: 1, 2: 3}) == rw.parse("nDCG(gain={1:1,2:3})")
    assert hash(rw.P @ 5) == hash(rw.parse("P@5"))
    with pytest.raises(MeasureError, match="bad-cutoff"):
        rw.P @ 0
    with pytest.raises(MeasureError, match="bad-cutoff"):
        rw.P @ 2.5  # type: ignore[operator]


def test_a_grade_above_the_maximum_is_refused() -> None:
    with pytest.raises(MeasureError, match=r"a document is graded 5, but max_grade=4   \[grade-above-maximum\]"):
        rw.score([5], "ERR")


@pytest.mark.parametrize("text", ["INST(min_grade=1)", "BPM(min_grade=3,max_grade=3)", "SDCG(min_grade=3,max_grade=2)"])
def test_a_scale_without_a_span_is_refused(text: str) -> None:
    with pytest.raises(MeasureError, match=r"min_grade=\d has no max_grade above it.*\[bad-parameter\]"):
        rw.score([1], text)


def test_a_user_defines_a_measure_like_ours() -> None:
    @measure("Top1", aliases=("first_document",), range=(0.0, 3.0))
    def top1(judged: building_blocks.Judged, *, bonus: float = 0) -> Terms:
        """The grade of the first document."""
        return Terms(gain=building_blocks.gain_of(judged.cut(1), "linear") * (1 + bonus))

    try:
        assert rw.score([3, 1], "Top1") == 3
        assert rw.score([3, 1], "first_document(bonus=1)") == 6
        assert rw.Top1 is top1  # type: ignore[attr-defined]
        values = rw.evaluate({"q": {"d": 2}}, {"q": {"d": 1}}, [top1, "AP"])
        assert values["Top1"] == 2
        with pytest.raises(MeasureError, match="did you mean Top1"):
            rw.parse("Top2")
    finally:
        del CATALOGUE["Top1"]


def test_a_cell_that_runs_again_replaces_its_measure() -> None:
    def define(times: float) -> None:
        @measure("Again", aliases=("once_more",), range=(0.0, 9.0))
        def again(judged: building_blocks.Judged) -> Terms:
            """The grade of the first document, so many times."""
            return Terms(gain=building_blocks.gain_of(judged.cut(1), "linear") * times)

    try:
        define(1)
        assert (rw.score([2], "Again"), rw.score([2], "once_more")) == (2, 2)
        define(3)
        assert (rw.score([2], "Again"), rw.score([2], "once_more")) == (6, 6)
    finally:
        del CATALOGUE["Again"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("P", "duplicate-measure"),
        ("a b", "bad-definition"),
        ("run", "bad-definition"),
        ("Undocumented", "bad-definition"),
    ],
)
def test_a_definition_that_cannot_work_is_refused(name: str, problem: str) -> None:
    def undocumented(judged: building_blocks.Judged, *, rel: float = 1) -> Terms:
        return Terms(gain=building_blocks.relevant(judged, rel))

    if name != "Undocumented":
        undocumented.__doc__ = "Something."
    with pytest.raises(MeasureError, match=problem):
        measure(name)(undocumented)
    assert name == "P" or name not in CATALOGUE


def test_a_parameter_without_a_default_is_refused() -> None:
    def needy(judged: building_blocks.Judged, rel: float) -> Terms:
        """Something."""
        return Terms(gain=building_blocks.relevant(judged, rel))

    with pytest.raises(MeasureError, match="keyword-only and has a default"):
        measure("Needy")(needy)


def test_gains_that_are_no_numbers_any_more_are_refused() -> None:
    with pytest.raises(
        MeasureError, match=r"graded 1025, but 2\^grade is a number up to 1000 only .*\[grade-above-max"
    ):
        rw.score([1025, 1], "nDCG(gain=exp2)")
    for text in ("ERR(max_grade=1025)", "F(beta=1e200)"):
        with pytest.raises(MeasureError, match="bad-parameter"):
            rw.parse(text)


@pytest.mark.parametrize("text", ["P_5@10", "P(rel=1, rel=2)@5", "AP(rel=1_0)"])
def test_a_name_says_nothing_twice_and_numbers_are_plain(text: str) -> None:
    with pytest.raises(MeasureError, match=r"measure-syntax|bad-parameter"):
        rw.parse(text)
