"""Texts without a header: read as TREC's lines only where their columns hold what those hold, and learning-to-rank."""

import gzip
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import rankworth as rw
from helpers import Command, command_of
from rankworth.errors import InputError

RATINGS = [(1, 3, 4), (1, 2, 5), (1, 4, 3), (2, 5, 2), (2, 1, 4), (2, 3, 5)]
TIME = 881250949
PREDICTED = "user_id,item_id,score\n1,2,4.8\n1,3,4.4\n1,4,4.1\n2,5,4.9\n2,1,3.3\n2,3,3.1\n"
RIGHT = (1 + (2 + 4 / math.log2(3) + 5 / 2) / (5 + 4 / math.log2(3) + 2 / 2)) / 2


def lines(separator: str, *columns: Callable[[int, int, int, int], object]) -> str:
    """Ratings as lines, with what stands in each column."""
    rows = ((user, item, rating, TIME + place) for place, (user, item, rating) in enumerate(RATINGS))
    return "".join(separator.join(str(column(*row)) for column in columns) + "\n" for row in rows)


def user(user: int, *_: int) -> str:
    return str(user)


def item(_: int, item: int, *__: int) -> str:
    return str(item)


def rating(_: int, __: int, rating: int, ___: int) -> str:
    return str(rating)


def seconds(*row: int) -> str:
    return str(row[3])


def milliseconds(*row: int) -> str:
    return str(row[3] * 1000)


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process and an empty folder: exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    return command_of(capsysbinary)


OF_RATINGS = {
    "tabs": lines("\t", user, item, rating, seconds),
    "blanks": lines(" ", user, item, rating, seconds),
    "many blanks": lines("   ", user, item, rating, seconds),
    "two colons": lines("::", user, item, rating, seconds),
    "the rating before the item": lines("\t", user, rating, item, seconds),
    "the time before the rating": lines("\t", user, item, seconds, rating),
    "milliseconds": lines("\t", user, item, rating, milliseconds),
    "fractions of seconds": lines("\t", user, item, rating, lambda *row: row[3] + 0.25),
    "half stars": lines("\t", user, item, lambda *row: row[2] + 0.0, seconds),
    "without times": lines("::", user, item, rating),
    "three columns and blanks": lines(" ", user, item, rating),
    "ids of letters": lines("\t", lambda *row: row[0], item, rating, seconds),
    "the last line without an end": lines("\t", user, item, rating, seconds).removesuffix("\n"),
    "lines in CR LF": lines("\t", user, item, rating, seconds).replace("\n", "\r\n"),
    "a header of comments": "# ratings\n" + lines("\t", user, item, rating, seconds),
}


def options_of(message: str) -> list[str]:
    """The options that a message proposes."""
    line = next(line for line in message.splitlines() if "-columns query=" in line)
    return line[line.index("--") :].split()


@pytest.mark.parametrize("name", OF_RATINGS)
def test_ratings_are_refused_with_the_options_that_read_them(name: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "u.data").write_bytes(OF_RATINGS[name].encode())
    (tmp_path / "predicted.csv").write_text(PREDICTED)
    status, out, said = command("evaluate", "u.data", "predicted.csv", "-m", "nDCG@10")
    if name in ("without times", "three columns and blanks"):
        assert "[qrels-columns]" in said
    elif name != "two colons":
        assert "u.data: this looks like a table without a header, not like TREC's lines" in said
    assert (status, out) == (2, "")
    status, out, said = command("evaluate", "u.data", "predicted.csv", "-m", "nDCG@10", *options_of(said), "-f", "tsv")
    assert (status, float(out.split()[-1])) == (0, pytest.approx(RIGHT, abs=1e-15)), said


def test_the_call_that_a_message_proposes_reads_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("u.data").write_text(OF_RATINGS["tabs"])
    with pytest.raises(InputError, match="read it with") as caught:
        rw.Qrels("u.data")
    called = re.search(r"read it with: (Qrels\(.*\))", str(caught.value))
    assert called
    judged = eval(called[1], {"Qrels": rw.Qrels})  # noqa: S307 - the text of a message
    assert judged.to_dict() == {"1": {"2": 5, "3": 4, "4": 3}, "2": {"1": 4, "3": 5, "5": 2}}


def test_check_reports_ratings_as_an_error(tmp_path: Path, command: Command) -> None:
    (tmp_path / "u.data").write_text(OF_RATINGS["tabs"])
    (tmp_path / "predicted.csv").write_text(PREDICTED)
    status, out, _ = command("check", "u.data", "predicted.csv", "-m", "nDCG@10")
    assert status != 0
    assert "[unfit-columns]" in out
    assert "--qrels-format tsv --qrels-columns query=1 document=2 grade=3" in out


def test_an_order_of_columns_is_read_all_the_same_where_the_format_is_said(tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text(OF_RATINGS["tabs"])
    judged = rw.Qrels(tmp_path / "u.data", format="trec").to_dict()
    assert judged["1"]["4"] == TIME


@pytest.mark.parametrize("name", ["tabs", "blanks", "two colons", "the rating before the item"])
def test_ratings_to_exclude_are_refused_likewise(name: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "seen").write_text(OF_RATINGS[name])
    (tmp_path / "test.csv").write_text("user,item\n1,9\n2,8\n")
    (tmp_path / "predicted.csv").write_text(PREDICTED + "1,9,1\n2,8,2\n")
    words = ("evaluate", "test.csv", "predicted.csv", "-m", "RR", "--exclude", "seen", "-f", "tsv")
    status, _, said = command(*words)
    assert status == 2
    line = next(line for line in said.splitlines() if "--columns query=1" in line)
    status, out, said = command(*words, *line[line.index("--") :].split())
    assert (status, out.split()[-1]) == (0, "1.0"), said
    assert "6 retrieved documents excluded" in said
    with pytest.raises(InputError) as caught:
        rw.evaluate("test.csv", "predicted.csv", ["RR"], exclude="seen")
    called = re.search(r": exclude=(Qrels\(.*\))", str(caught.value))
    assert called
    pairs = eval(called[1], {"Qrels": rw.Qrels})  # noqa: S307 - the text of a message
    assert rw.evaluate("test.csv", "predicted.csv", ["RR"], exclude=pairs)["RR"] == 1


def test_three_columns_with_times_for_grades_are_refused_and_as_exclusions_read(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "clicks.tsv").write_text(lines("\t", user, item, seconds))
    (tmp_path / "predicted.csv").write_text(PREDICTED)
    status, _, said = command("evaluate", "clicks.tsv", "predicted.csv", "-m", "R@2")
    assert (status, "the grades would be times" in said) == (2, True)
    status, out, said = command("evaluate", "clicks.tsv", "predicted.csv", "-m", "R@2", *options_of(said), "-f", "tsv")
    assert (status, float(out.split()[-1])) == (0, pytest.approx(2 / 3)), said
    (tmp_path / "test.csv").write_text("user,item\n1,9\n2,8\n")
    (tmp_path / "predicted.csv").write_text(PREDICTED + "1,9,1\n2,8,2\n")
    words = ("evaluate", "test.csv", "predicted.csv", "-m", "RR", "--exclude", "clicks.tsv", "-f", "tsv")
    assert command(*words)[1].split()[-1] == "1.0"


def test_ratings_without_times_are_told_by_their_ids(tmp_path: Path) -> None:
    rows = [(user, 100 * user + place, place % 5 + 1, place % 3) for user in range(5) for place in range(6)]
    (tmp_path / "folds.txt").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    with pytest.raises(InputError, match="column 2, which is 0, Q0 or a subtopic there, has 30 different values"):
        rw.Qrels(tmp_path / "folds.txt")


def qrels(*rows: tuple[object, ...]) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


GENUINE = {
    "ids that are small numbers": qrels(*((1, 0, document, document % 2) for document in range(5))),
    "ids as large as times": qrels(*((1, "Q0", TIME + document, document % 2) for document in range(30))),
    "subtopics": qrels(*((1, sub, f"d{place}", 1) for sub in range(1, 9) for place in range(sub))),
    "more subtopics than documents": qrels((1, 1, "a", 1), (1, 2, "a", 1), (1, 3, "b", 1), (2, 1, "c", 0)),
    "two documents that are small numbers": qrels((1, 1, 1, 1), (1, 2, 1, 1), (1, 3, 2, 0)),
    "subtopics of few documents": qrels(*((1, sub, doc, 1) for sub in range(1, 6) for doc in range(1, 7))),
    "named subtopics": qrels(*((q, f"{q}.{sub}", f"d{sub % 4}", 1) for q in range(3) for sub in range(9))),
    "letters for the iteration": qrels((1, "N/A", "a", 1), (2, "N/A", "b", 0)),
    "one line": qrels(("q1", 0, "d1", 1)),
    "grades of hundreds": qrels(*((1, 0, f"d{gain}", gain * 100) for gain in range(20))),
    "sampled judgements": qrels(*((1, 0, f"d{place}", -1) for place in range(20))),
}


@pytest.mark.parametrize("name", GENUINE)
def test_judgements_of_trec_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(GENUINE[name])
    assert len(rw.Qrels(tmp_path / "qrels.txt")) > 0


RUNS = {
    "ranks of -1": qrels(*((1, "Q0", f"d{place}", -1, 9 - place, "x") for place in range(5))),
    "ratings": qrels(*((1, 100 + place, place % 5, TIME, 0.5 + place, "x") for place in range(12))),
}


@pytest.mark.parametrize("name", RUNS)
def test_lines_that_are_no_run_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(RUNS[name])
    with pytest.raises(InputError) as caught:
        rw.evaluate({"1": {"d1": 1}}, tmp_path / "a.run", ["RR"])
    assert caught.value.slug == "unfit-columns"
    assert rw.Run(tmp_path / "a.run", format="trec").queries() == ["1"]


def test_the_types_behind_the_names_of_recbole_are_no_part_of_them(tmp_path: Path, command: Command) -> None:
    header = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    (tmp_path / "ml.inter").write_text(header + OF_RATINGS["tabs"])
    (tmp_path / "predicted.csv").write_text(PREDICTED)
    _, out, _ = command("evaluate", "ml.inter", "predicted.csv", "-m", "nDCG@10", "-f", "tsv")
    assert float(out.split()[-1]) == pytest.approx(RIGHT, abs=1e-15)
    (tmp_path / "other.inter").write_text("who:token\twhat:token\tstars:float\n" + lines("\t", user, item, rating))
    options = ("--qrels-columns", "query=who", "document=what", "grade=stars")
    _, out, _ = command("evaluate", "other.inter", "predicted.csv", "-m", "nDCG@10", "-f", "tsv", *options)
    assert float(out.split()[-1]) == pytest.approx(RIGHT, abs=1e-15)


def test_pairs_without_a_header_are_refused_with_the_options_that_read_them(tmp_path: Path, command: Command) -> None:
    (tmp_path / "pairs.tsv").write_text("196\t242\n196\t302\n22\t51\n")
    (tmp_path / "run.csv").write_text("user,item,score\n196,302,9\n196,5,8\n22,51,9\n22,377,3\n")
    _, _, said = command("evaluate", "pairs.tsv", "run.csv", "-m", "R@2")
    assert "--qrels-format tsv --qrels-columns query=1 document=2\n" in said
    status, out, _ = command("evaluate", "pairs.tsv", "run.csv", "-m", "R@2", "-f", "tsv", *options_of(said))
    assert (status, out.split()[-1]) == (0, "0.75")


# Learning to rank

DEMO = "# qid:1: red pot\n# qid:2: green mug\n#\n4\tqid:1 #\t7555\n3\tqid:1 #\t1370\n0\tqid:1 #\t1\n4\tqid:2 #\t1366\n"
LETOR = "2 qid:10 1:0.5 2:0.1 # d1\n0 qid:10 1:0.2 2:0.7 # d2\n1 qid:10 1:0.9 # d3\n0 qid:11 1:0.1\n\n3 qid:12 1:0.4\n"
LISTS = {
    "a demo of Elasticsearch": (DEMO, {"1": {"7555": 4, "1370": 3, "1": 0}, "2": {"1366": 4}}),
    "a title behind the id": ("4 qid:1 # 7555 Rambo III\n", {"1": {"7555": 4}}),
    "LETOR 4": (
        "2 qid:10 1:0.03 #docid = GX008 inc = 1 prob = 0.08\n0 qid:10 1:0.1 #docid=GX009\n",
        {"10": {"GX008": 2, "GX009": 0}},
    ),
    "without documents": (LETOR, {"10": {"d1": 2, "d2": 0, "d3": 1}, "11": {"4": 0}, "12": {"6": 3}}),
    "grades with decimals": ("1.5 qid:a 1:-1e-3 # x#y\n", {"a": {"x#y": 1.5}}),
    "no feature and no document": ("1 qid:7\n0 qid:7\n", {"7": {"1": 1, "2": 0}}),
    "a long line": ("1 qid:7 " + " ".join(f"{n}:0.5" for n in range(50_000)) + " # d\n", {"7": {"d": 1}}),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("packed", [False, True])
def test_learning_to_rank_files_are_judgements(name: str, packed: bool, tmp_path: Path) -> None:
    text, judged = LISTS[name]
    path = tmp_path / "test.txt"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert rw.Qrels(path).to_dict() == judged
    assert rw.Qrels(path, format="svmlight").to_dict() == judged


def test_a_judgement_list_is_evaluated_beside_a_run(tmp_path: Path, command: Command) -> None:
    (tmp_path / "judgements.txt").write_text(DEMO)
    (tmp_path / "a.run").write_text("1 Q0 7555 1 2.5 t\n1 Q0 1 2 1.5 t\n2 Q0 1366 1 1.5 t\n")
    _, out, _ = command("evaluate", "judgements.txt", "a.run", "-m", "nDCG@10", "-f", "tsv")
    assert float(out.split()[-1]) == pytest.approx((4 / (4 + 3 / math.log2(3)) + 1) / 2, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "1 qid:1 1:2\n0 quid:1 1:2\n",
            "a.txt:2: a line of a learning-to-rank file is: grade qid:N features # document",
        ),
        ("1 qid:1 1:2\nx qid:1 1:2\n", "a.txt:2: the grade is 'x', not a number"),
        ("1 qid:1 1:2\n1 qid: 1:2\n", "a.txt:2: there is no query"),
        ("1 1:2 2:3\n0 1:2 2:4\n", "learning-to-rank files name the query of each line"),
        ("1 qid:1 # d\n0 qid:1 # d\n", "query 1 judges document d again"),
    ],
)
def test_learning_to_rank_files_with_problems_are_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(InputError) as caught:
        rw.Qrels(tmp_path / "a.txt")
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_learning_to_rank_file_is_no_run_has_no_names_and_is_not_written(tmp_path: Path, command: Command) -> None:
    (tmp_path / "test.txt").write_text(LETOR)
    (tmp_path / "a.run").write_text("10 Q0 d1 1 1 t\n")
    assert "this is a learning-to-rank file" in command("evaluate", "test.txt", "test.txt", "-m", "RR")[2]
    assert "there is no such column" in command("evaluate", "test.txt", "a.run", "-m", "RR", "--columns", "query=x")[2]
    assert "there is no format 'svmlight'" in command("convert", "test.txt", "-", "--qrels", "--to", "svmlight")[2]


@pytest.mark.parametrize(("repeated", "is_read"), [(1, False), (2, True)], ids=["nine of ten", "eight of ten"])
def test_pairs_of_the_first_columns_are_a_table_where_nine_of_ten_are_unique(
    repeated: int, *, is_read: bool, tmp_path: Path
) -> None:
    """Users and items with ratings: subtopics repeat for a query, items of a user hardly ever do."""
    pairs = [(1, item) for item in range(10 - repeated)]
    rows = [*pairs, *pairs[:repeated]]
    path = tmp_path / "u.data"
    path.write_text("".join(f"{user} {item} {rank % 2 + 4} 1\n" for rank, (user, item) in enumerate(rows)))
    with pytest.raises(InputError) as caught:  # read as TREC's lines, documents 4 and 5 are judged again and again
        rw.Qrels(path)
    assert (caught.value.slug == "unfit-columns") is not is_read, caught.value
    assert ("the documents would be 4 5, and column 2" in str(caught.value)) is not is_read
