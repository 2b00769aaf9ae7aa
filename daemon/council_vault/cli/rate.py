"""``council-vault rate``: what the person thinks of a deliberation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.following import show_followed
from council_vault.cli.options import json_option, print_json
from council_vault.operations.rate import rate

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation
    from council_vault.operations.rate import Rated


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--id", "id_", metavar="ID", help="Rate this record; the most recent one, where none is named.")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, text: tuple[str, ...], id_: str | None, as_json: bool) -> None:
    """Rate a deliberation.

    TEXT is what the person says of it, in words or signs: "nailed it", "not helpful", "okay", 👍. Where it
    says nothing of the answer, the most recent deliberation stays unrated, with an unknown outcome.
    """
    rated = rate(invocation.workspace(), " ".join(text), id_, datetime.now(UTC))
    if as_json:
        after = rated.after
        print_json({"id": rated.id, "user_rating": after.user_rating, "outcome": after.outcome})
    else:
        click.echo(_sentence(rated))
    show_followed(rated.followed, verbose=invocation.verbose)


def _sentence(rated: Rated) -> str:
    before, after = rated.before, rated.after
    if rated.rating is None:
        stays = (
            f"stays {before.user_rating}" if before.user_rating else "stays unrated; its outcome is unknown"
        )
        return f"That says nothing of the answer: {rated.id} {stays}."
    if before.user_rating == after.user_rating:
        return f"{rated.id} is rated {rated.rating} already."
    replaced = f" It was {before.user_rating} before." if before.user_rating else ""
    return f"{rated.id} is rated {rated.rating}.{replaced}"
