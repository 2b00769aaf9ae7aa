"""Durable, conditional, lossless file replacement; used for the memory file and for notes.

`exchange` describes the protocol and what it promises; `Replacer` is how it is used.
"""

from council_vault.files.locks import sync_lock
from council_vault.files.protection import Protection, protection
from council_vault.files.reading import digest, read
from council_vault.files.replacer import Replacer

__all__ = ["Protection", "Replacer", "digest", "protection", "read", "sync_lock"]
