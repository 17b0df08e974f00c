"""Pages that need JavaScript, in a real Chromium that can reach nothing but what may be reached."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.adapters import browser_process, rendering
from actors.adapters.browser_proxy import CheckedProxy
from actors.adapters.fetching import Fetcher
from actors.adapters.pages import Fetched, FetchSettings
from actors.adapters.rendering import Chromium
from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.processes import share_fate
from contracts.core import Core
from contracts.settings import Settings
from contracts.websites.pages import WebsiteShelf
from events.errors import (
    BadRequest,
    FetchTimeout,
    NeedsJavaScript,
    PageTooLarge,
)
from tests.embedders import open_letters
from tests.private_service import private_service
from tests.web_pages import Board, board

needs_chromium = pytest.mark.skipif(
    rendering.program() is None, reason="there is no chromium on this machine"
)

NOBODY = 65_534
WORDS = "The harbour keeps a ledger of every tide since the winter of 1911, in ink. "
LINES = [f"Volume {number}. {WORDS * 3}" for number in range(4)]
APP = """<html><head><title>Ledger</title></head><body>
<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>
<script src="/app.js"></script></body></html>"""
SCRIPT = """
fetch('/data.json').then(r => r.json()).then(data => {
  document.getElementById('root').innerHTML =
    '<main><h1>Ledger of tides</h1>' + data.lines.map(l => '<p>' + l + '</p>').join('') + '</main>';
});
"""
HOSTILE = """<html><head><title>Prober</title></head><body><div id="root"></div><script>
const targets = TARGETS;
Promise.all(targets.map(url =>
  fetch(url, {mode: 'no-cors'}).then(() => 'reached ' + url, () => 'failed ' + url)
)).then(seen => {
  document.getElementById('root').innerHTML = seen.map(s => '<p>' + s + '</p>').join('');
});
for (const url of targets) {
  const frame = document.createElement('iframe'); frame.src = url; document.body.append(frame);
  const socket = url.replace('http', 'ws'); try { new WebSocket(socket); } catch (e) {}
}
</script></body></html>"""


WORKER = "self.addEventListener('install', e => e.waitUntil(fetch(SECRET, {mode: 'no-cors'})));"
EVERY_WAY = """<html><head><link rel="preconnect" href=SECRET><link rel="prefetch" href=SECRET>
<link rel="stylesheet" href=SECRET><link rel="manifest" href=SECRET></head><body><div id="root"></div>
<object data=SECRET></object><embed src=SECRET><video src=SECRET autoplay></video>
<form id="form" method="post" action=SECRET target="frame"><input name="a" value="b"></form>
<iframe name="frame"></iframe><script>
const secret = SECRET, tried = [];
const attempt = (name, work) => { try { work(); tried.push(name); } catch (e) { tried.push('no ' + name); } };
attempt('beacon', () => navigator.sendBeacon(secret, 'x'));
attempt('events', () => new EventSource(secret));
attempt('worker', () => navigator.serviceWorker.register('/worker.js').catch(() => {}));
attempt('thread', () => new Worker('/worker.js'));
attempt('form', () => document.getElementById('form').submit());
attempt('window', () => window.open(secret));
attempt('calls', () => {
  const server = 'stun:' + new URL(secret).host;
  const peer = new RTCPeerConnection({iceServers: [{urls: server}]});
  peer.createDataChannel('x'); peer.createOffer().then(o => peer.setLocalDescription(o));
});
attempt('transport', () => new WebTransport(secret.replace('http:', 'https:')));
setTimeout(() => { document.getElementById('root').textContent = 'tried ' + tried.length; }, 1500);
</script></body></html>"""


@pytest.fixture
def site() -> Iterator[Board]:
    with board() as made:
        made.put("/app", APP)
        made.put("/app.js", SCRIPT, "text/javascript")
        made.put("/data.json", json.dumps({"lines": LINES}), "application/json")
        yield made


@pytest.fixture
def private() -> Iterator[tuple[str, list[bytes]]]:
    with private_service() as made:
        yield made


def fetcher(site: Board) -> Fetcher:
    return Fetcher(FetchSettings(delay_s=0.0, obey_robots=False, allow_hosts=(site.host,)))


def shown(site: Board, path: str, **options: float) -> Fetched:
    ours = fetcher(site)
    browser = Chromium(ours, sandbox=os.geteuid() != 0, **options)
    return browser.render(ours.fetch(site.url(path)))


def core_for(site: Board, home: Path, **settings: object) -> Core:
    made = Core(
        Settings(home=home, fetch_delay_s=0.0, fetch_allow_hosts=(site.host,), **settings)  # type: ignore[arg-type]
    )
    made.wake_engine = made.home.prepare  # type: ignore[method-assign]
    return made


def process(core: Core, url: str) -> tuple[WebsiteShelf, int]:
    shelf = WebsiteShelf(core)
    [number] = shelf.accept([shelf.normal(url)], "company_page", "rag_process_website", force=True)
    archive = LocalArchive(core.home)
    for job in archive.catalogue.state().unfinished():
        IngestJob(archive, AnyParser(), open_letters, job).run()
    return shelf, number


# -- off by default --------------------------------------------------------------------------------


def test_without_rendering_the_status_says_what_it_needs(site: Board, tmp_path: Path) -> None:
    shelf, number = process(core_for(site, tmp_path / "home"), site.url("/app"))
    status = shelf.status(number)
    assert status["processing_status"] == "failed"
    assert "needs JavaScript" in status["error_message"]
    assert status["failure"]["details"]["code"] == "needs_javascript"
    assert "RESEARCH_AGENT_RENDER=chromium" in status["failure"]["suggestion"]
    assert status["chunks_created"] == 0
    assert site.paths() == ["/app"]


def test_settings_of_rendering_are_read_and_checked() -> None:
    assert Settings.from_environment({}).render == ""
    given = {"RESEARCH_AGENT_RENDER": "Chromium", "RESEARCH_AGENT_RENDER_SANDBOX": "0"}
    settings = Settings.from_environment(given)
    assert (settings.render, settings.render_sandbox) == ("chromium", False)
    with pytest.raises(BadRequest, match="RENDER"):
        Settings.from_environment({"RESEARCH_AGENT_RENDER": "firefox"})


def test_a_missing_browser_is_said(
    site: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "PROGRAMS", ("no-such-browser",))
    core = core_for(site, tmp_path / "home", render="chromium", render_sandbox=False)
    shelf, number = process(core, site.url("/app"))
    assert "there is no Chromium on this machine" in shelf.status(number)["error_message"]


@needs_chromium
def test_the_superuser_gets_no_browser_without_asking_for_it(
    site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    ours = fetcher(site)
    with pytest.raises(NeedsJavaScript, match="RENDER_SANDBOX=0"):
        Chromium(ours).render(ours.fetch(site.url("/app")))


# -- the real browser ------------------------------------------------------------------------------


@needs_chromium
def test_a_page_of_scripts_is_read_as_it_is_shown(
    site: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = os.geteuid() != 0
    core = core_for(site, tmp_path / "home", render="chromium", render_sandbox=sandbox)
    # A short path: the browser makes sockets there.
    passing = Path(tempfile.mkdtemp(prefix="shown-"))
    monkeypatch.setattr(tempfile, "tempdir", str(passing))
    shelf, number = process(core, site.url("/app"))
    known = shelf.known(number)
    assert known.phase == "completed", known.error
    assert known.held and known.held["metadata"]["rendered"] == "chromium"
    assert known.ending and known.ending["rendered"] is True
    assert known.title == "Ledger of tides"
    text = core.home.blobs.get(known.held["text"]["hash"]).decode()
    assert text.count("ledger of every tide") == 12
    agents = {headers["User-Agent"] for path, headers in site.asked if path == "/app.js"}
    assert [agent.startswith("research-agent/") for agent in agents] == [True]
    passing.rmdir()  # Nothing is left in it.


@needs_chromium
@pytest.mark.skipif(os.geteuid() != 0, reason="who is no superuser has run all others so")
def test_in_its_own_sandbox_it_shows_the_same(site: Board, tmp_path: Path) -> None:
    ours = fetcher(site)
    fetched = ours.fetch(site.url("/app"))
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(tempfile.gettempdir()) and str(folder) != tempfile.gettempdir():
            folder.chmod(folder.stat().st_mode | 0o011)
    tmp_path.chmod(0o777)
    share_fate()  # What it imports cannot be read by whoever has come down.
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            seen = Chromium(ours, sandbox=True).render(fetched).body
            (tmp_path / "seen").write_bytes(seen)
        except BaseException as failure:  # noqa: BLE001 - told to the parent
            (tmp_path / "failed").write_text(repr(failure))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert not (tmp_path / "failed").exists(), (tmp_path / "failed").read_text()
    assert (tmp_path / "seen").read_text().count("ledger of every tide") == 12


@needs_chromium
def test_a_page_that_is_there_without_scripts_needs_no_browser(
    site: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "PROGRAMS", ("no-such-browser",))
    plain = f"<html><body><main><h1>Plain</h1><p>{WORDS * 12}</p></main></body></html>"
    url = site.put("/plain", plain)
    shelf, number = process(core_for(site, tmp_path / "home", render="chromium"), url)
    known = shelf.known(number)
    assert known.phase == "completed"
    assert known.held and "rendered" not in known.held["metadata"]


@needs_chromium
def test_a_page_cannot_reach_what_a_fetch_could_not(
    site: Board, private: tuple[str, list[bytes]]
) -> None:
    secret, heard = private
    port = secret.partition("127.0.0.1:")[2].partition("/")[0]
    targets = [
        secret,
        f"http://localhost:{port}/secret",
        f"http://[::1]:{port}/secret",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
    ]
    site.put("/hostile", HOSTILE.replace("TARGETS", json.dumps(targets)))
    seen = shown(site, "/hostile").body.decode()
    # Every attempt came to its end in the page, and none of them there.
    assert seen.count("failed http") + seen.count("reached http") == len(targets)
    assert heard == []


@needs_chromium
def test_no_way_of_asking_leads_where_a_fetch_could_not(
    site: Board, private: tuple[str, list[bytes]]
) -> None:
    secret, heard = private
    named = json.dumps(secret)
    site.put("/worker.js", WORKER.replace("SECRET", named), "text/javascript")
    site.put("/every-way", EVERY_WAY.replace("SECRET", named))
    assert b"tried 8" in shown(site, "/every-way").body
    assert "/worker.js" in site.paths()
    assert heard == []


@pytest.fixture
def proxies(monkeypatch: pytest.MonkeyPatch) -> list[CheckedProxy]:
    """Every proxy that a browser is given from now on."""
    made: list[CheckedProxy] = []

    class Watched(CheckedProxy):
        def __enter__(self) -> "Watched":
            made.append(self)
            return super().__enter__()

    monkeypatch.setattr(rendering, "CheckedProxy", Watched)
    return made


@needs_chromium
def test_the_browser_asks_nobody_on_its_own(site: Board, proxies: list[CheckedProxy]) -> None:
    assert b"ledger of every tide" in shown(site, "/app").body
    [proxy] = proxies
    assert set(proxy.connected) == {f"http://{site.host}"}
    assert {url for url, _ in proxy.refused} <= {"https://nowhere.invalid:443/"}


@needs_chromium
def test_what_a_page_may_not_reach_is_refused_by_the_proxy(
    site: Board, private: tuple[str, list[bytes]], proxies: list[CheckedProxy]
) -> None:
    secret, heard = private
    site.put("/hostile", HOSTILE.replace("TARGETS", json.dumps([secret, "http://10.0.0.1/"])))
    shown(site, "/hostile")
    refused = {url.partition("//")[2].partition("/")[0] for url, _ in proxies[0].refused}
    assert {secret.partition("//")[2].partition("/")[0], "10.0.0.1"} <= refused
    assert heard == []


@needs_chromium
def test_what_a_page_loads_is_not_loaded_against_robots(site: Board) -> None:
    site.robots = b"User-agent: *\nDisallow: /data.json\n"
    ours = Fetcher(FetchSettings(delay_s=0.0, allow_hosts=(site.host,)))
    browser = Chromium(ours, sandbox=os.geteuid() != 0)
    seen = browser.render(ours.fetch(site.url("/app"))).body.decode()
    assert "ledger of every tide" not in seen
    asked = [path for path, _ in site.asked]
    assert "/app.js" in asked
    assert "/data.json" not in asked


@needs_chromium
def test_hosts_rest_after_all_that_a_page_loaded(site: Board) -> None:
    slept: list[float] = []
    now = 1_000.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        slept.append(round(seconds, 3))

    site.robots = b"User-agent: *\nCrawl-delay: 2\n"
    settings = FetchSettings(delay_s=0.5, allow_hosts=(site.host,))
    ours = Fetcher(settings, now=lambda: now, sleep=sleep)
    browser = Chromium(ours, sandbox=os.geteuid() != 0)
    shown = browser.render(ours.fetch(site.url("/app")))
    assert b"ledger of every tide" in shown.body
    # The page waits its turn behind the fetch of it; what it loads does not wait.
    assert slept == [0.5, 2.0]
    loads = site.paths()[1:]
    assert {"/app", "/app.js", "/data.json"} <= set(loads)
    slept.clear()
    ours.fetch(site.url("/app"))
    assert slept == [min(2.0 * len(loads), settings.patience_s)]


@needs_chromium
def test_a_page_that_eats_memory_is_ended(site: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_process, "MOST_MEMORY", 400 << 20)
    hungry = "const all = []; setInterval(() => all.push(new Uint8Array(64 << 20).fill(1)), 10);"
    site.put("/hungry", APP.replace("</body>", f"<script>{hungry}</script></body>"))
    with pytest.raises(PageTooLarge, match="memory"):
        shown(site, "/hungry", seconds=20.0)


@needs_chromium
def test_a_page_cannot_show_files_of_this_machine(site: Board, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the combination is 4711")
    secret.chmod(0o644)
    probe = """<html><body><div id="root"></div><script>
const file = FILE, root = document.getElementById('root');
const say = text => root.insertAdjacentHTML('beforeend', '<p>' + text + '</p>');
fetch(file).then(r => r.text()).then(say, () => say('no fetch'));
const asked = new XMLHttpRequest(); asked.onload = () => say(asked.responseText);
asked.onerror = () => say('no request');
try { asked.open('GET', file); asked.send(); } catch (e) { say('no request'); }
const frame = document.createElement('iframe'); frame.src = file;
frame.onload = () => { try { say(frame.contentDocument.body.innerText); } catch (e) { say('no frame'); } };
document.body.append(frame);
const link = document.createElement('a'); link.href = file; document.body.append(link); link.click();
try { window.open(file); } catch (e) {}
setTimeout(() => { say('still here'); try { location = file; } catch (e) {} }, 500);
</script></body></html>"""
    site.put("/prober", probe.replace("FILE", json.dumps(secret.as_uri())))
    seen = shown(site, "/prober").body.decode()
    assert "combination" not in seen
    assert "still here" in seen


@needs_chromium
def test_a_page_without_end_is_ended(site: Board) -> None:
    site.put("/endless", APP.replace("</body>", "<script>while (true) {}</script></body>"))
    with pytest.raises(FetchTimeout, match="browser"):
        shown(site, "/endless", seconds=3.0)
    assert not [
        path for path in Path("/proc").glob("[0-9]*/cmdline") if site.url("/endless") in _said(path)
    ]


def _said(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
