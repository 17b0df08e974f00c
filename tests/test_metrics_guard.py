"""Metrics are told to those who have the token, also by a program that knows nothing of it."""

import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from actors.metrics_guard import Environment, asking

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import sys
from wsgiref.simple_server import make_server
from prometheus_client import make_wsgi_app, start_http_server
server, _ = start_http_server(0, addr="127.0.0.1")
own = make_server("127.0.0.1", 0, make_wsgi_app())
print(sys.argv[1:], server.server_port, own.server_port, flush=True)
own.serve_forever()
"""


def status(port: int, header: str | None) -> int:
    headers = {} if header is None else {"Authorization": header}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            assert b"python_info" in reply.read()
            return int(reply.status)
    except urllib.error.HTTPError as refusal:
        assert b"python_info" not in refusal.read()
        refusal.close()
        return refusal.code


def test_a_program_that_serves_metrics_asks_for_the_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("s3cret\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = dict(os.environ) | {"RAY_AUTH_TOKEN_PATH": str(tmp_path / "token")}
    command = [sys.executable, "-m", "actors.metrics_guard", str(tmp_path / "program.py"), "--head"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            said = process.stdout.readline().decode().split()
            assert said[0] == "['--head']"
            for port in map(int, said[1:]):
                assert status(port, None) == 401
                for wrong in ("Bearer", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret"):
                    assert status(port, wrong) == 403
                assert status(port, "Bearer s3cret") == 200
        finally:
            process.kill()


@pytest.mark.parametrize("given", ["Bearer \xff", "Bearer \u20ac", "\0", "Bearer " + "x" * 65536])
def test_whatever_is_sent_instead_of_the_token_is_refused(given: str) -> None:
    told: list[str] = []

    def application(environment: Environment, start: object) -> list[bytes]:
        raise AssertionError("it was let through")

    ask = asking(application, "s3cret")
    assert b"".join(ask({"HTTP_AUTHORIZATION": given}, lambda status, _: told.append(status)))
    assert told == ["403 Forbidden"]
