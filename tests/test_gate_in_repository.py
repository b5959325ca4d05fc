"""A gate in a repository, as somebody new to it sets one up: what passes, fails and errs, and what is said then."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

OLD = {"q1": 1, "q2": 1, "q3": 1, "q4": 1, "q5": 2, "q6": 2}
"""ranks of the one relevant document: RR is 1, 1, 1, 1, 1/2, 1/2, in the mean 5/6"""
NEW = {"q1": 1, "q2": 1, "q3": 1, "q4": 2, "q5": 2, "q6": 4}
"""1, 1, 1, 1/2, 1/2, 1/4: in the mean 17/24, a drop of 1/8"""
SCRIPT = """\
#!/bin/sh
rankworth compare qrels.txt baseline.json new.run --max-drop RR=0.1 || exit $?
echo shipped
"""


class Repository:
    """A project with judgements, a baseline in git, a run that its code makes, and a script for its checks."""

    def __init__(self, folder: Path) -> None:
        """Make it."""
        self.folder = folder
        tools = folder / "tools"
        tools.mkdir(parents=True)
        (tools / "rankworth").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankworth "$@"\n')
        (tools / "rankworth").chmod(0o755)
        (folder / "check.sh").write_text(SCRIPT)
        self.judge(OLD)
        self.answer(OLD)
        self("rankworth", "evaluate", "qrels.txt", "new.run", "-m", "RR", "-q", "-o", "baseline.json")
        for words in (["init", "-q"], ["add", "qrels.txt", "baseline.json", "check.sh"], ["commit", "-qm", "keep"]):
            assert self("git", *words)[0] == 0

    def __call__(self, *words: str) -> tuple[int, str, str]:
        """Run a command: exit status, standard output, standard error."""
        named = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {
            "PATH": f"{self.folder / 'tools'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            **named,
        }
        done = subprocess.run(
            words, cwd=self.folder, capture_output=True, text=True, check=False, env=environment, encoding="utf-8"
        )
        return done.returncode, done.stdout, done.stderr

    def judge(self, queries: Mapping[str, int]) -> None:
        """Write judgements."""
        (self.folder / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in queries))

    def answer(self, ranks: Mapping[str, int]) -> None:
        """Write what the code of today answers."""
        lines = [
            f"{query} Q0 {'a' if place == rank else f'x{place}'} {place} {10 - place} x\n"
            for query, rank in ranks.items()
            for place in range(1, rank + 1)
        ]
        (self.folder / "new.run").write_text("".join(lines))

    def check(self) -> tuple[int, str, str]:
        """Run the checks."""
        return self("sh", "check.sh")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Give a repository whose baseline is committed."""
    return Repository(tmp_path / "search")


def test_it_lets_an_equal_run_ship(repository: Repository) -> None:
    status, out, err = repository.check()
    assert (status, err) == (0, "")
    assert out.endswith("the gate holds\nok  RR  new  0.8333 -> 0.8333  no change\nshipped\n")
    before = (repository.folder / "baseline.json").read_bytes()
    repository("rankworth", "evaluate", "qrels.txt", "new.run", "-m", "RR", "-q", "-o", "baseline.json")
    assert (repository.folder / "baseline.json").read_bytes() == before
    assert repository("git", "status", "--porcelain", "baseline.json")[1] == ""


def test_it_stops_a_worse_run_and_says_what_to_do(repository: Repository) -> None:
    repository.answer(NEW)
    status, out, err = repository.check()
    assert (status, err) == (1, "")
    assert "shipped" not in out
    assert out[out.index("the gate fails") :].splitlines() == [
        "the gate fails",
        "FAIL  RR  new  0.8333 -> 0.7083  drop 0.1250 > 0.1000",
        "largest losses of new by RR: q4 -0.5000, q6 -0.2500",
        "  rankworth explain qrels.txt new.run q4 -m RR",
        "if the loss is meant, keep the new values as the baseline:",
        "  rankworth evaluate qrels.txt new.run -m RR -q -o baseline.json",
    ]
    status, out, _ = repository("rankworth", "explain", "qrels.txt", "new.run", "q4", "-m", "RR")
    assert (status, "RR = 0.5000" in out) == (0, True)


def test_it_errs_where_a_run_answers_nothing_or_too_little(repository: Repository) -> None:
    repository.answer(dict.fromkeys(list(OLD)[:3], 1))
    assert repository.check()[0] == 1  # 5/6 -> 1/2, since what is not answered counts as 0
    (repository.folder / "new.run").write_text("")
    status, out, err = repository.check()
    assert (status, out) == (2, "")
    assert "[empty-input]" in err


def test_it_errs_where_judgements_changed(repository: Repository) -> None:
    (repository.folder / "qrels.txt").write_text("".join(f"{query} 0 {'ax'[query > 'q4']} 1\n" for query in OLD))
    status, out, err = repository.check()
    assert (status, out) == (2, "")
    assert "4 judgements of 2 queries changed: 2 added, 2 removed   [changed-judgements]" in err
    assert "  rankworth evaluate qrels.txt new.run -m RR -q -o baseline.json\n" in err
    assert "--accept-new-qrels" in err
    repository.judge({**OLD, "q7": 1})
    status, out, err = repository.check()
    assert (status, out) == (2, "")
    assert "different queries" in err
    assert "[changed-queries]" in err
    accepted = (
        "rankworth",
        "compare",
        "qrels.txt",
        "baseline.json",
        "new.run",
        "--max-drop",
        "RR=0",
        "--accept-new-qrels",
    )
    status, out, _ = repository(*accepted)
    assert status == 0
    assert "over 6 queries" in out


def test_it_errs_without_a_baseline_that_can_be_read(repository: Repository) -> None:
    baseline = repository.folder / "baseline.json"
    whole = baseline.read_bytes()
    for content, slug in ((whole[: len(whole) // 2], "bad-json"), (b"", "empty-input")):
        baseline.write_bytes(content)
        status, out, err = repository.check()
        assert (status, out) == (2, ""), slug
        assert f"[{slug}]" in err
    baseline.unlink()
    status, out, err = repository.check()
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "error: baseline.json: there is no such file   [missing-file]",
        "  this keeps the values of a run as the baseline; name the run in use:",
        "    rankworth evaluate qrels.txt new.run -q -o baseline.json",
    ]
