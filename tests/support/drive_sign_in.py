"""Signing in to the emulated Drive: settings that lead there, a browser that consents, secrets."""

from __future__ import annotations

import json
import re
import stat
import urllib.error
import urllib.parse
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from council_vault.settings import DriveSettings
from council_vault.vault.drive_folder import DriveAccess
from council_vault.vault.drive_session import token_store
from council_vault.vault.drive_tokens import Secrets, SignIn
from support.drive_emulator.oauth import CLIENT_ID, CLIENT_SECRET, SCOPE

if TYPE_CHECKING:
    from pathlib import Path

    from support.drive_emulator import DriveEmulator

INSECURE = {"OAUTHLIB_INSECURE_TRANSPORT": "1"}
"""The library refuses a server of tokens without TLS, as the emulator is."""

_BROWSER = """\
import sys, urllib.request
urllib.request.urlopen(sys.argv[1]).read()
"""


def access_to(emulator: DriveEmulator, states: Path, **settings: object) -> DriveAccess:
    """Return what leads to the emulator, everything kept below a folder of its own."""
    return DriveAccess(DriveSettings(**({"endpoint": emulator.endpoint} | settings)), states)


def sign_in_to(emulator: DriveEmulator, *, lasts: float = 3600.0, account: str = "ada@example.com") -> SignIn:
    """Return a sign-in that the emulator knows, whose access token is good for so many seconds."""
    now = datetime.now(UTC)
    return SignIn(
        account=account,
        client_id=CLIENT_ID,
        token_uri=emulator.token_uri,
        scopes=(SCOPE,),
        signed_in_at=now,
        secrets=Secrets(
            client_secret=CLIENT_SECRET,
            refresh_token=emulator.oauth.new_refresh_token(),
            access_token=emulator.oauth.new_access_token(),
            expiry=now + timedelta(seconds=lasts),
        ),
    )


def signed_in(access: DriveAccess, sign_in: SignIn) -> SignIn:
    """Keep a sign-in as ``drive login`` does."""
    tokens = token_store(access)
    with tokens.locked():
        tokens.save(sign_in)
    return sign_in


def secrets_of(emulator: DriveEmulator) -> set[str]:
    """Return what must appear nowhere but in the file of tokens."""
    return {CLIENT_SECRET, *emulator.oauth.access, *emulator.oauth.refresh}


def write_json(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), "utf-8")
    return path


def write_settings(program, emulator: DriveEmulator, **settings: str) -> None:
    """Set how Drive is used."""
    values = {"endpoint": emulator.endpoint} | settings
    program.config.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{key} = {value if value in ('true', 'false') else json.dumps(value)}"
        for key, value in values.items()
    ]
    program.config.write_text("\n".join(["[drive]", *lines, ""]), "utf-8")


def consent(url: str) -> str:
    """Do what a browser does when the person consents; return the page that it ends at."""
    with urllib.request.urlopen(url) as page:
        return page.read().decode()


def consent_elsewhere(url: str) -> str:
    """Consent on another device; return the address at which the browser there ends, which it cannot open."""

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    opener = urllib.request.build_opener(Stay)
    try:
        opener.open(url)
    except urllib.error.HTTPError as redirect:
        return redirect.headers["Location"]
    raise AssertionError("the page did not lead on")


def asked_for(url: str) -> dict[str, str]:
    """Return what an address holds."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


def shown_address(lines) -> str:
    """Return the address of the page to open, as soon as it is printed."""
    for line in lines:
        text = line.decode() if isinstance(line, bytes) else line
        if found := re.search(r"http://\S+/auth\?\S+", text):
            return found[0]
    raise AssertionError("no address was shown")


def browser(folder: Path, python: str) -> str:
    """Return a browser for ``$BROWSER`` that consents."""
    script = folder / "browser.py"
    script.write_text(_BROWSER, "utf-8")
    return f"{python} {script} %s"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
