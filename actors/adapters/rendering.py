"""Shows a page in a local Chromium and takes what it shows: for pages that are empty without scripts.

The browser is a stranger's program running a stranger's code, so it gets nothing: no way to the network but
`CheckedProxy`, and the bounds of `browser_process` for everything else. It does not run without its sandbox
unless that is asked for by name.

A page and all that it loads are one visit, as with every browser: slowed down to a request a second, few pages would
come to their end. The visit waits its turn, and afterwards each host that was asked is left alone for as long as
all of that would have taken one after the other.
"""

import os
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from actors.adapters.addresses import Target, read_url
from actors.adapters.browser_process import TooHungry, TooSlow, passing_folder, run_in_bounds
from actors.adapters.browser_proxy import CheckedProxy, Leave
from actors.adapters.fetching import Fetcher
from actors.adapters.pages import Fetched
from events.errors import FetchTimeout, NeedsJavaScript, PageTooLarge, RobotsDenied
from events.logs import log

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 30.0
"""After which the browser is ended."""

BUDGET_MS = 8_000
"""Time that the page believes to have; it stands still while the page waits for the network."""

_one_at_a_time = threading.Lock()

_SWITCHES = (
    "--headless",
    "--dump-dom",
    f"--virtual-time-budget={BUDGET_MS}",
    "--incognito",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--window-size=1280,2000",
    # No network but the proxy's: no names looked up, no datagrams, no loopback past it.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Nothing of the browser's own: no accounts, no clock of its maker's, no search engine made ready.
    "--gaia-url=https://nowhere.invalid/",
    "--google-base-url=https://nowhere.invalid/",
    "--component-updater=url-source=https://nowhere.invalid/",
    "--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,"
    "DialMediaRouteProvider,InterestFeedContentSuggestions,MediaRouter,NetworkTimeServiceQuerying,"
    "OptimizationHints,PreconnectToSearch,Prerender2,SearchPrefetch,Translate",
    "--disable-field-trial-config",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-file-system",
    "--disable-notifications",
    "--disable-plugins",
    "--disable-sync",
    "--deny-permission-prompts",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    # Pictures say nothing to a reader of text.
    "--blink-settings=imagesEnabled=false",
    "--disk-cache-size=1",
    "--js-flags=--max-old-space-size=512",
)


def program() -> str | None:
    """The browser of this machine, if there is one."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Chromium:
    """Renders pages for a fetcher, by its rules."""

    def __init__(self, fetcher: Fetcher, *, sandbox: bool = True, seconds: float = SECONDS) -> None:
        self._fetcher, self._sandbox, self._seconds = fetcher, sandbox, seconds

    def render(self, fetched: Fetched) -> Fetched:
        """The page as it is shown; raises `NeedsJavaScript` where it cannot be shown here."""
        url = fetched.final_url
        command = self._command(url)
        settings = self._fetcher.settings
        with (
            _one_at_a_time,
            self._fetcher.turn(url, self._fetcher.delay_at(url)),
            CheckedProxy(
                settings.allow_hosts,
                self._fetcher.resolve,
                settings.max_bytes,
                self._seconds,
                self._leave(url),
            ) as proxy,
            passing_folder() as folder,
        ):
            told = (f"--proxy-server=http://{proxy.address}", f"--user-data-dir={folder}", url)
            try:
                shown = self._run(url, [*command, *told], folder, settings.max_bytes)
            finally:
                for origin, requests in list(proxy.connected.items()):
                    self._fetcher.rest(origin, requests)
        for place, why in proxy.refused[:20]:
            log("rendering").info("refused", page=url, asked=place, reason=why)
        return replace(
            fetched,
            media_type="text/html",
            charset="utf-8",
            # They are those of the empty page, and would say that nothing has changed.
            etag="",
            last_modified="",
            body=shown,
            rendered=True,
        )

    def _leave(self, page: str) -> Leave:
        """Asks the robots.txt of every site that the page loads something from."""
        own = read_url(page, self._fetcher.settings.allow_hosts).origin

        def leave(target: Target, tunnel: bool) -> None:
            # Of its own site the page was allowed; what else goes through a tunnel nobody can say.
            if not self._fetcher.settings.obey_robots or (tunnel and target.origin == own):
                return
            robots = self._fetcher.robots(target.origin)
            if not robots.allows(target.path):
                why = robots.unavailable or "its robots.txt asks robots not to read it"
                raise RobotsDenied(target.url, why, {"reason": why})

        return leave

    def _command(self, url: str) -> list[str]:
        browser = program()
        if browser is None:
            raise _not_here(url, "there is no Chromium on this machine")
        if os.geteuid() == 0 and self._sandbox:
            raise _not_here(
                url,
                "Chromium has no sandbox for the superuser; RESEARCH_AGENT_RENDER_SANDBOX=0 "
                "allows it without",
            )
        agent = f"--user-agent={self._fetcher.settings.user_agent}"
        loose = [] if self._sandbox else ["--no-sandbox"]
        return [browser, *_SWITCHES, agent, *loose]

    def _run(self, url: str, command: Sequence[str], folder: Path, most: int) -> bytes:
        try:
            code, shown = run_in_bounds(command, folder, self._seconds, most)
        except TooSlow:
            why = f"the browser was not done with it within {self._seconds:g} s"
            details = {"timeout": "render", "timeout_seconds": self._seconds}
            raise FetchTimeout(url, why, details) from None
        except TooHungry:
            raise PageTooLarge(url, "the browser ran out of memory for it", {}) from None
        if code or not shown.strip() or len(shown) > most:
            raise _not_here(url, f"Chromium did not show it (code {code})")
        return shown


def _not_here(url: str, why: str) -> NeedsJavaScript:
    return NeedsJavaScript(url, f"it needs JavaScript to show anything, and {why}", {"reason": why})
