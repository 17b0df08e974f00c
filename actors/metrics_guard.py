"""Runs one of Ray's programs so that its metrics are told only to those who have the cluster's token.

Ray asks for that token everywhere else. Metrics its programs serve through `prometheus_client`, with what that makes an
application of; here it makes one that asks first.
"""

import hmac
import os
import runpy
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import prometheus_client
from prometheus_client import exposition

Environment = dict[str, Any]
Application = Callable[[Environment, Callable[..., Any]], Iterable[bytes]]


def asking(application: Application, token: str) -> Application:
    """The same application, for those who send the token; others are refused as Ray refuses them."""
    expected = f"Bearer {token}".encode()

    def ask(environment: Environment, start: Callable[..., Any]) -> Iterable[bytes]:
        given = environment.get("HTTP_AUTHORIZATION", "")
        if hmac.compare_digest(given.encode("latin-1", "replace"), expected):
            return application(environment, start)
        plain = ("Content-Type", "text/plain")
        if given:
            start("403 Forbidden", [plain])
            return [b"Forbidden: Invalid authentication token\n"]
        start("401 Unauthorized", [plain, ("WWW-Authenticate", "Bearer")])
        return [b"Unauthorized: Missing authentication token\n"]

    return ask


def main() -> None:
    """Run the program that the arguments begin with."""
    token = Path(os.environ["RAY_AUTH_TOKEN_PATH"]).read_text().strip()
    make: Any = exposition.make_wsgi_app

    def make_asking(*arguments: Any, **options: Any) -> Application:
        return asking(make(*arguments, **options), token)

    made: Any = make_asking
    exposition.make_wsgi_app = prometheus_client.make_wsgi_app = made
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
