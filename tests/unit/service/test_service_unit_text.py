"""The unit's text: whatever paths hold, systemd starts just this command with just these variables."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from council_vault.service.unit_text import command_line, quoted, started_by, unit_text
from council_vault.shipped import shipped
from support.systemd_syntax import executed, specified, words

SHIPPED = (shipped("systemd") / "council-vault.service").read_text("utf-8")
# Any bytes but NUL, as Python names the files that are called so.
names = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name).map(os.fsdecode)
TRICKY = (
    "a b",
    "100%",
    "%h",
    "$HOME",
    "${HOME}",
    "$$",
    '"q"',
    "'s'",
    "\\",
    "\\x41",
    "é 🙂",
    "\n",
    ";",
    "",
    "#",
    "\x7f",
)


def really(argv: list[bytes]) -> list[bytes]:
    """Return what a command comes to, where the shell stands before it."""
    if argv[0] == b"/bin/sh":
        assert argv[1] == b"-c"
        return argv[3:]
    return argv


@settings(deadline=None)
@given(program=names, arguments=st.lists(names | st.sampled_from(TRICKY), max_size=4))
@example(program="a", arguments=list(TRICKY))
@example(program='o"dd', arguments=list(TRICKY))
def test_systemd_reads_the_command_that_was_meant(program, arguments):
    command = [f"/opt/{program}", *arguments]
    line = command_line(command)
    assert line.encode()  # a unit file must be UTF-8
    assert really(executed(line, {b"HOME": b"wrong"})) == [os.fsencode(word) for word in command]


@settings(deadline=None)
@given(value=names | st.sampled_from(TRICKY))
def test_systemd_reads_the_variable_that_was_meant(value):
    (word,) = words(quoted(f"NAME={value}"))
    assert specified(word) == b"NAME=" + os.fsencode(value)


def test_a_plain_command_stays_plain():
    assert command_line(["/home/ines/.local/bin/council-vault", "daemon"]) == (
        "/home/ines/.local/bin/council-vault daemon"
    )


@pytest.mark.parametrize("program", ['/opt/o"dd', "/opt/o'dd", "/opt/o\\dd", "/opt/o\ndd", "/opt/\udce9"])
def test_the_shell_starts_a_program_that_systemd_does_not_take(program, tmp_path):
    folder = tmp_path / program.removeprefix("/opt/")
    folder.mkdir()
    dump = folder / "council-vault"
    dump.write_text('#!/bin/sh\nfor word in "$0" "$@"; do printf "%s\\0" "$word"; done\n')
    dump.chmod(0o755)
    command = [str(dump), "a b", "$HOME"]
    argv = executed(command_line(command))
    assert argv[0] == b"/bin/sh"
    said = subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout
    assert said.split(b"\0")[:-1] == [os.fsencode(word) for word in command]


def test_everything_else_of_the_unit_stays_as_it_came():
    text = unit_text(SHIPPED, ["/p", "daemon"], {"B": "2 %", "A": "1"})
    added = 'Environment=A=1\nEnvironment="B=2 %%"\nExecStart=/p daemon\n'
    assert text == re.sub(r"ExecStart=.*\n", lambda _: added, SHIPPED)


def test_what_a_unit_starts():
    assert started_by(unit_text(SHIPPED, ["/a b/p", "daemon"], {})) == '"/a b/p" daemon'
    assert started_by("[Service]\nExecStart=/a\nExecStart=\nExecStart=/b\n") == "/b"
    assert started_by("[Service]\n") == ""
