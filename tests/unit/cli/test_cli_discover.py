"""``discover``: how the vault is found."""

from __future__ import annotations

import shutil


def test_each_step_up_to_the_vault(program):
    vault = program.make_vault()
    ran = program("discover")
    assert ran.code == 0
    assert ran.out.startswith("1. Around the workspace\n   ")
    assert ran.out.endswith(f"\nThe vault is {vault}\n")
    assert "2. " not in ran.out
    assert ran.err == ""


def test_none_is_explained_step_by_step(program):
    ran = program("discover")
    assert ran.code == 3
    titles = [line for line in ran.out.splitlines() if not line.startswith(" ")]
    assert [title.partition(".")[0] for title in titles] == ["1", "2", "3", "4", "5"]
    assert titles[3] == "4. Google Drive over the network"
    assert "no vault was found" in ran.err
    assert "The vault is" not in ran.out


def test_several_are_listed(program):
    vault = program.make_vault()
    for name in ("one", "two"):
        shutil.copytree(vault, program.workspace / name)
    shutil.rmtree(vault)
    ran = program("discover")
    assert ran.code == 3
    assert "several vaults could be meant" in ran.err
    assert f"{program.workspace}/one" in ran.err
    shown = program("discover", "--json")
    assert shown.code == 3
    assert shown.json["vault"] is None
    assert shown.json["steps"][-1]["candidates"] == [f"{program.workspace}/one", f"{program.workspace}/two"]


def test_the_vault_used_before_comes_first(program):
    vault = program.make_vault()
    program.write_memory()
    program("sync-vault")
    ran = program("discover")
    assert ran.out.startswith("1. The vault used before\n")
    shown = program("discover", "--json").json
    assert set(shown) == {"vault", "pinned", "steps"}
    assert shown["vault"] == shown["pinned"] == str(vault)
    assert set(shown["steps"][0]) == {"title", "findings", "candidates"}


def test_the_vault_that_is_named_counts_alone(program):
    vault = program.make_vault()
    ran = program("--vault", vault, "discover")
    assert ran.out.startswith(f"1. The vault named by vault.path\n   {vault}: it is a vault.\n")
    assert program("--vault", program.home, "discover").code == 3
