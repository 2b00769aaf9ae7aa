"""A desktop's keyring on a D-Bus of its own, as far as it tells whether it is locked.

    python tests/support/secret_service.py LOCKED

``LOCKED`` is ``yes``, ``no``, or ``none`` for one without a default collection. It prints ``ready``, and then
the name of every call that it gets.
"""

from __future__ import annotations

import sys

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection

COLLECTION = "/org/freedesktop/secrets/aliases/default"
BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")


def main(locked: str) -> None:
    with open_dbus_connection() as bus:
        bus.send_and_get_reply(new_method_call(BUS, "RequestName", "su", ("org.freedesktop.secrets", 0)))
        print("ready", flush=True)
        while True:
            call = bus.receive()
            if call.header.message_type != MessageType.method_call:
                continue
            member = call.header.fields[HeaderFields.member]
            print(member, flush=True)
            if member == "ReadAlias":
                answer = new_method_return(call, "o", ("/" if locked == "none" else COLLECTION,))
            elif member == "Get":
                answer = new_method_return(call, "v", (("b", locked == "yes"),))
            else:
                answer = new_error(call, "org.freedesktop.DBus.Error.NotSupported")
            bus.send(answer)


if __name__ == "__main__":
    main(sys.argv[1])
