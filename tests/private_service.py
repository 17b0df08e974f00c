"""A service on loopback that nobody allowed: what a page or a proxy must never reach."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def private_service() -> Iterator[tuple[str, list[bytes]]]:
    """Its address, and what it was told."""
    heard: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def listen() -> None:
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            with peer:
                heard.append(peer.recv(100))

    threading.Thread(target=listen, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/secret", heard
    server.shutdown(socket.SHUT_RDWR)
    server.close()
