"""Whole processes against a bare click command in the same interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.measuring import Figure, median, spread, taking_turns
from support.memories import build_memory
from support.memory_files import dump
from support.syncing import Road

_BARE = """
import click

@click.command()
def command():
    click.echo("Nothing to do.")

command()
"""
_OURS = "from council_vault.cli.main import main; main()"


@pytest.mark.parametrize("command", ["sync-vault", "status"])
def test_whole_process(command, short, figures, tmp_path):
    road = Road(tmp_path)
    road.memory.write_bytes(dump(build_memory(20 if short else 500, models=8, seed=11)))
    arguments = ["--workspace", str(road.folder), "--vault", str(road.vault)]
    environment = road.environment()
    del environment["PYTHONWARNINGS"]  # costs its own imports

    def run(*program):
        done = subprocess.run([sys.executable, *program], env=environment, check=True, stdout=subprocess.PIPE)
        assert done.stdout

    for _ in range(3):
        run("-c", _OURS, *arguments, "sync-vault")

    def bare():
        return lambda: run("-c", _BARE)

    def ours():
        return lambda: run("-c", _OURS, *arguments, command)

    floor, whole = taking_turns(2 if short else 40, bare, ours)
    print(f"\n{command}, whole process, ms\n  bare click {spread(floor)}\n  ours       {spread(whole)}")
    figures.append(Figure(f"{command} with nothing to do, whole process", median(floor), median(whole), 3.0))
