"""The desktop's keyring, where the extra ``keyring`` is installed and finds one that is worth the name.

A backend that keeps secrets in plain text, asks for a password on a terminal, or keeps nothing at all is not
taken: without a desktop, the library may choose such a one by itself.
"""

from __future__ import annotations

from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from council_vault.errors import VaultUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keyring.backend import KeyringBackend

_SERVICE = "council-vault"
_INSECURE = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
_ASKS_FOR_A_PASSWORD = "keyring.backends.SecretService"  # noqa: S105 - the name of a module
_UNLOCK = "Unlock it by logging in to the desktop, or sign in anew with `council-vault drive login`"


class SecureKeyring:
    """One keyring, in which each user of it, such as a folder of states, has one secret.

    Args:
        backend: the library's.
    """

    def __init__(self, backend: KeyringBackend) -> None:
        self._backend = backend

    @property
    def name(self) -> str:
        """What people know it by."""
        return str(self._backend.name)

    def get(self, user: str) -> str | None:
        """Return the secret, ``None`` where there is none; nobody is asked for a password.

        Raises:
            VaultUnavailable: the keyring is locked, or does not answer.
        """
        with self._answering():
            return self._backend.get_password(_SERVICE, user)

    def set(self, user: str, secret: str) -> None:
        """Keep a secret, in the place of an earlier one; raises as `get` does."""
        with self._answering():
            self._backend.set_password(_SERVICE, user, secret)

    def remove(self, user: str) -> None:
        """Forget a secret, if there is one; raises as `get` does."""
        from keyring.errors import PasswordDeleteError  # noqa: PLC0415 - an extra

        with self._answering(), suppress(PasswordDeleteError):
            self._backend.delete_password(_SERVICE, user)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Refuse a keyring that would ask for a password before it answers, and say where it does not."""
        from keyring.errors import KeyringError  # noqa: PLC0415 - likewise

        asks = type(self._backend).__module__ == _ASKS_FOR_A_PASSWORD
        below = _refusals_of_the_desktop() if asks else ()
        refusals: tuple[type[Exception], ...] = (KeyringError, OSError, *below)
        try:
            if asks and _is_locked():
                raise VaultUnavailable("the keyring is locked", where=self.name, remedy=_UNLOCK)
            yield
        except refusals as error:
            raise VaultUnavailable(
                f"the keyring does not answer: {type(error).__name__}", where=self.name, remedy=_UNLOCK
            ) from None


def _is_locked() -> bool:
    """Whether the desktop's keyring would have to ask for its password."""
    import secretstorage  # noqa: PLC0415 - comes with the extra, on Linux

    with closing(secretstorage.dbus_init()) as bus:
        return secretstorage.get_collection_by_alias(bus, "default").is_locked()


def _refusals_of_the_desktop() -> tuple[type[Exception], ...]:
    """Return what the library lets through of the errors of the libraries below it."""
    import jeepney  # noqa: PLC0415 - likewise
    import secretstorage  # noqa: PLC0415 - likewise

    return secretstorage.SecretStorageException, jeepney.DBusErrorResponse


def find_keyring() -> SecureKeyring | None:
    """Return the keyring to keep secrets in; ``None`` where there is none, or only insecure ones."""
    if find_spec("keyring") is None:
        return None
    import keyring  # noqa: PLC0415 - an extra

    backend = next((backend for backend in _backends(keyring.get_keyring()) if _is_secure(backend)), None)
    return None if backend is None else SecureKeyring(backend)


def _backends(chosen: KeyringBackend) -> Iterator[KeyringBackend]:
    """Yield the chosen backend, or those that it hands on to, the best one first."""
    from keyring.backends.chainer import ChainerBackend  # noqa: PLC0415 - likewise

    if isinstance(chosen, ChainerBackend):
        yield from chosen.backends
    else:
        yield chosen


def _is_secure(backend: KeyringBackend) -> bool:
    kind = type(backend)
    return not kind.__module__.startswith(_INSECURE) and "plaintext" not in kind.__name__.lower()
