"""`council-vault mcp` before it serves."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.terminal import Conversation


@pytest.mark.parametrize("missing", ["mcp", "mcp.server.stdio"])
def test_without_the_library_it_says_how_to_install_it(program, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    for module in [name for name in sys.modules if name.startswith("council_vault.mcp_server")]:
        monkeypatch.delitem(sys.modules, module)
    ran = program("mcp")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "council-vault: the library that speaks MCP is not installed. "
        "Install it beside the program: pipx inject council-vault mcp, or pip install mcp\n"
    )


def test_a_defect_of_the_installation_is_not_taken_for_that(program, monkeypatch):
    monkeypatch.setitem(sys.modules, "council_vault.mcp_server.tools", None)
    monkeypatch.delitem(sys.modules, "council_vault.mcp_server.server", raising=False)
    with pytest.raises(ModuleNotFoundError, match="council_vault"):
        program("mcp")


def test_on_a_terminal_it_says_what_it_waits_for_and_ends_with_ctrl_c(program):
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    talk = Conversation(
        lambda side: program.start("mcp", stdin=side, stdout=subprocess.PIPE, stderr=side, text=True)
    )
    talk.answer("Ctrl-C ends it.", "not a message\n")
    talk._process.stdout.close()
    talk.interrupt()
    assert talk.end() in {0, 130}
    assert "Traceback" not in talk.shown
