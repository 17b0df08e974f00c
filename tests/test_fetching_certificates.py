"""A server must prove who it is by the name in the URL, though it is reached by an address."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpcore2
import pytest

from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
from events.errors import (
    TlsFailed,
)
from tests.fetching_world import PUBLIC, World
from tests.webserver import PAGE, Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    """A certificate for fair.example, and a client that trusts it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "fair.example")])
    today = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("fair.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "fair.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path, ssl.create_default_context(cafile=str(path))


def server_context(certificate: tuple[Path, ssl.SSLContext]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[0])
    return context


def test_the_certificate_is_that_of_the_name_though_we_connect_to_an_address(
    certificate: tuple[Path, ssl.SSLContext],
) -> None:
    names: list[str | None] = []
    serving_tls = server_context(certificate)
    serving_tls.sni_callback = lambda _socket, name, _context: names.append(name)
    with serving(serving_tls) as secure:
        world = World(secure)
        page = world.fetcher(lambda: certificate[1]).fetch("https://fair.example/page")
    assert page.body == PAGE
    assert set(names) == {"fair.example"}
    assert set(world.dialled) == {(PUBLIC, 443)}


def test_a_certificate_of_another_name_is_refused(
    certificate: tuple[Path, ssl.SSLContext],
) -> None:
    with serving(server_context(certificate)) as secure:
        world = World(secure)
        with pytest.raises(TlsFailed, match="prove"):
            world.fetcher(lambda: certificate[1]).fetch("https://other.example/page")
        assert secure.asked == []


def test_a_certificate_nobody_signed_is_refused(
    certificate: tuple[Path, ssl.SSLContext],
) -> None:
    with serving(server_context(certificate)) as secure:
        with pytest.raises(TlsFailed):
            World(secure).fetcher().fetch("https://fair.example/page")
        assert secure.asked == []


def test_a_server_that_speaks_no_tls_is_refused(site: Site) -> None:
    with pytest.raises(TlsFailed):
        World(site).fetcher().fetch("https://fair.example/page")


def test_a_redirect_from_https_to_http_is_followed_and_told(
    site: Site, certificate: tuple[Path, ssl.SSLContext]
) -> None:
    _, trusting = certificate
    with serving(server_context(certificate)) as secure:
        secure.away = "http://fair.example/page"
        world = World(secure)
        plain = World(site)

        def dial(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
            return (world if port == 443 else plain).dial(address, port, seconds)

        web = Fetcher(
            FetchSettings(delay_s=0.0), resolve=world.resolve, dial=dial, roots=lambda: trusting
        )
        page = web.fetch("https://fair.example/away")
    assert [hop.url for hop in page.hops] == [
        "https://fair.example/away",
        "http://fair.example/page",
    ]
