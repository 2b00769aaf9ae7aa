"""A Drive to try things on: ``make drive-emulator``. It holds a fixture vault and runs until Ctrl-C."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

from support.drive_emulator import DriveEmulator

FIXTURES = Path(__file__).parents[3] / "vault_fixtures"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="any that is free, unless given")
    parser.add_argument("--vault", default="studio", help="which fixture it holds")
    parser.add_argument("--name", default="MoxyWolf Vault", help="what the vault is called")
    arguments = parser.parse_args()
    with DriveEmulator(port=arguments.port) as emulator:
        vault = emulator.add_tree(FIXTURES / arguments.vault, arguments.name)
        print(emulator.endpoint, flush=True)
        print(f"holds the vault {arguments.name!r}, folder {vault}; Ctrl-C ends it", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("ended")


if __name__ == "__main__":
    main()
