"""A desktop without a screen: a private session bus, and a service on it that keeps the notices it is sent."""

import asyncio
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import pytest
from dbus_fast.aio import MessageBus
from dbus_fast.annotations import DBusDict, DBusInt32, DBusSignature, DBusStr, DBusUInt32
from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal

NAME = "org.freedesktop.Notifications"
PLACE = "/org/freedesktop/Notifications"
Words = Annotated[list[str], DBusSignature("as")]
About = Annotated[tuple[str, str, str, str], DBusSignature("ssss")]
Closed = Annotated[tuple[int, int], DBusSignature("uu")]
Invoked = Annotated[tuple[int, str], DBusSignature("us")]


class Notifications(ServiceInterface):
    """Satisfies the desktop notifications specification, as far as notices need it."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.shown: list[tuple[str, str, str]] = []
        self.more = threading.Condition()

    @dbus_method(name="Notify")
    def notify(
        self,
        app: DBusStr,
        replaces: DBusUInt32,
        icon: DBusStr,
        summary: DBusStr,
        body: DBusStr,
        actions: Words,
        hints: DBusDict,
        expires: DBusInt32,
    ) -> DBusUInt32:
        with self.more:
            self.shown.append((app, summary, body))
            self.more.notify_all()
            return len(self.shown)

    @dbus_method(name="CloseNotification")
    def close(self, notice: DBusUInt32) -> None:
        """Notices stay."""

    @dbus_method(name="GetCapabilities")
    def capabilities(self) -> Words:
        return ["body", "actions"]

    @dbus_method(name="GetServerInformation")
    def server(self) -> About:
        return "a desk in a test", "nobody", "1", "1.2"

    @dbus_signal(name="NotificationClosed")
    def closed(self, notice: int, reason: int) -> Closed:
        return notice, reason

    @dbus_signal(name="ActionInvoked")
    def invoked(self, notice: int, action: str) -> Invoked:
        return notice, action


class Desk:
    """The service, in a thread, at a bus."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._service = Notifications()
        self._ready, self._loop = threading.Event(), asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(10), "nobody is at the bus"

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        bus = await MessageBus(bus_address=self.address).connect()
        bus.export(PLACE, self._service)
        await bus.request_name(NAME)
        self._ready.set()
        await self._end.wait()
        bus.disconnect()
        await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]

    def notices(self, number: int) -> list[tuple[str, str, str]]:
        """What is shown, once there is so much of it: application, title and text."""
        with self._service.more:
            assert self._service.more.wait_for(lambda: len(self._service.shown) >= number, 20)
            return list(self._service.shown)

    def leave(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()


@contextmanager
def session_bus(place: Path) -> Iterator[str]:
    """The address of a session bus of our own; a test that needs one is skipped where there can be none."""
    daemon = shutil.which("dbus-daemon")
    if daemon is None:
        pytest.skip("dbus-daemon is not installed, so no desktop can be played")
    rules = place / "bus.conf"
    rules.write_text(
        f"""<busconfig><type>session</type><listen>unix:path={place}/bus</listen>
        <policy context="default"><allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/><allow own="*"/></policy>
        </busconfig>"""
    )
    command = [daemon, f"--config-file={rules}", "--nofork", "--nopidfile", "--print-address=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@contextmanager
def desktop(place: Path) -> Iterator[Desk]:
    """A desktop's bus with somebody who shows notices."""
    with session_bus(place) as address:
        desk = Desk(address)
        try:
            yield desk
        finally:
            desk.leave()
