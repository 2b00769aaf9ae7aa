"""What the service says: once, then at growing intervals, and when it is over."""

from __future__ import annotations

import io
import itertools
import logging
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.service.journal import CALM, PAUSES, Standing, log_to_stderr

MINUTE, HOUR, DAY = 60, 3600, 86400


class Journal(logging.Handler):
    """A clock, and what was said at which of its times."""

    def __init__(self):
        super().__init__()
        self.now = 1000.0
        self.said = []
        self.log = logging.Logger("told")  # noqa: LOG001 - one of its own for each test
        self.log.addHandler(self)
        self.standing = Standing(lambda: self.now, self.log)

    def emit(self, record):
        self.said.append((self.now - 1000, record.levelname, record.getMessage()))

    def wait(self, seconds):
        self.now += seconds


@pytest.fixture
def journal():
    return Journal()


def test_a_lasting_problem_is_said_at_growing_intervals(journal):
    for _ in range(DAY):
        journal.standing.trouble("vault", "no vault")
        journal.wait(1)
    journal.standing.well("vault")
    assert journal.said == [
        (0, "WARNING", "no vault"),
        (60, "WARNING", "Still, after 60 s: no vault"),
        (360, "WARNING", "Still, after 6 min: no vault"),
        (2160, "WARNING", "Still, after 36 min: no vault"),
        (9360, "WARNING", "Still, after 3 h: no vault"),
        (30960, "WARNING", "Still, after 9 h: no vault"),
        (52560, "WARNING", "Still, after 15 h: no vault"),
        (74160, "WARNING", "Still, after 21 h: no vault"),
        (86400, "INFO", "Recovered, after 24 h: no vault"),
    ]


def test_a_problem_met_seldom_is_said_when_it_is_met(journal):
    for _ in range(3):
        journal.standing.trouble("vault", "no vault")
        journal.wait(20 * MINUTE)
    assert [when for when, *_ in journal.said] == [0, 20 * MINUTE, 40 * MINUTE]


def test_the_latest_words_are_said(journal):
    journal.standing.trouble("memory", "broken at byte 12")
    journal.wait(30)
    journal.standing.trouble("memory", "broken at byte 13")
    journal.wait(30)
    journal.standing.trouble("memory", "broken at byte 14")
    journal.standing.well("memory")
    assert [message for *_, message in journal.said] == [
        "broken at byte 12",
        "Still, after 60 s: broken at byte 14",
        "Recovered, after 60 s: broken at byte 14",
    ]


def test_problems_do_not_hide_each_other(journal):
    journal.standing.trouble("vault", "no vault")
    journal.standing.trouble("memory", "no memory file")
    journal.standing.well("vault")
    journal.standing.well("disk")
    journal.standing.well("vault")
    assert [message for *_, message in journal.said] == [
        "no vault",
        "no memory file",
        "Recovered, after 0 s: no vault",
    ]


def test_a_percent_sign_is_only_a_sign(journal):
    journal.standing.trouble("disk", "100 %s full")
    assert journal.said[0][2] == "100 %s full"


def test_a_problem_that_comes_back_after_a_calm_is_a_new_one(journal):
    journal.standing.trouble("vault", "no vault")
    journal.standing.well("vault")
    journal.wait(CALM)
    journal.standing.trouble("vault", "no vault")
    assert [message for *_, message in journal.said] == [
        "no vault",
        "Recovered, after 0 s: no vault",
        "no vault",
    ]


def test_a_problem_that_flickers_is_said_like_one_that_lasts(journal):
    for _ in range(DAY):
        journal.standing.trouble("memory", "broken")
        journal.standing.well("memory")
        journal.wait(1)
    assert [when for when, level, _ in journal.said if level == "WARNING"] == [
        0, 60, 360, 2160, 9360, 30960, 52560, 74160,
    ]  # fmt: skip
    assert len(journal.said) == 16  # each with its end


def test_what_is_long_over_is_forgotten(journal):
    for number in range(1000):
        journal.standing.trouble(f"note {number}", "left alone")
        journal.standing.well(f"note {number}")
        journal.wait(CALM)
    assert len(journal.standing._problems) <= 1


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2000)), max_size=200))
def test_recovery_is_said_once_for_each_time_that_trouble_was(steps):
    journal = Journal()
    for troubled, pause in steps:
        if troubled:
            journal.standing.trouble("it", "it")
        else:
            journal.standing.well("it")
        journal.wait(pause)
    levels = "".join("w" if level == "WARNING" else "i" for _, level, _ in journal.said)
    assert re.fullmatch(r"(w+i)*w*", levels)
    times = [when for when, level, _ in journal.said if level == "WARNING"]
    assert all(later - earlier >= PAUSES[0] for earlier, later in itertools.pairwise(times))


@pytest.fixture
def root():
    """Put the root logger back as it was."""
    logger, watchdog = logging.getLogger(), logging.getLogger("watchdog")
    before = logger.handlers[:], logger.level, watchdog.level
    yield logging.getLogger("council_vault.test")
    for handler in set(logger.handlers) - set(before[0]):
        logger.removeHandler(handler)
    logger.handlers[:], logger.level = before[0], before[1]
    watchdog.setLevel(before[2])


def said_by(log):
    log.debug("detail")
    log.info("synced")
    log.warning("two\nlines")
    log.error("wrong")
    log.critical("lost")
    logging.getLogger("watchdog.observers").error("noise")


def test_the_journal_gets_a_level_before_every_line(root, tmp_path):
    with (tmp_path / "journal").open("w") as stream:
        found = os.fstat(stream.fileno())
        environment = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
        log_to_stderr(environment, verbose=True, stream=stream)
        said_by(root)
        try:
            raise ValueError("why")  # noqa: TRY301 - for its traceback
        except ValueError:
            root.exception("failed")
        root.info("")
    lines = (tmp_path / "journal").read_text().splitlines()
    expected = ["<7>detail", "<6>synced", "<4>two", "<4>lines", "<3>wrong", "<2>lost", "<3>failed"]
    assert lines[:7] == expected
    assert lines[7] == "<3>Traceback (most recent call last):"
    assert lines[-2:] == ["<3>ValueError: why", "<6>"]
    assert all(line.startswith("<3>") for line in lines[7:-1])


@pytest.mark.parametrize("redirected", [{}, {"JOURNAL_STREAM": "1:1"}, {"JOURNAL_STREAM": ""}])
def test_a_person_gets_time_and_level(root, tmp_path, redirected):
    with (tmp_path / "log").open("w") as stream:
        log_to_stderr(redirected, stream=stream)
        said_by(root)
    text = (tmp_path / "log").read_text()
    stamps = re.sub(r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", "@ ", text)
    assert stamps == "@ INFO synced\n@ WARNING two\nlines\n@ ERROR wrong\n@ CRITICAL lost\n"


def test_a_stream_without_a_file_is_no_journal(root):
    stream = io.StringIO()
    log_to_stderr({"JOURNAL_STREAM": "1:1"}, stream=stream)
    root.info("synced")
    assert stream.getvalue().endswith(" INFO synced\n")


def test_what_was_set_up_before_is_replaced(root, capsys):
    log_to_stderr({})
    log_to_stderr({})
    root.info("synced")
    assert capsys.readouterr().err.count("synced") == 1
