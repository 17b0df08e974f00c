"""A Zotero library on loopback that speaks the API: versions, pages, links, backoff, 304."""

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

KEY = "right-key"


@dataclass
class ZoteroServer:
    """A library with items, collections and files; `requests` are those that were made."""

    version: int = 7
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    collections: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    refusals: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Statuses and headers of the next answers."""

    page: int = 2
    deleted: dict[str, int] = field(default_factory=dict)
    """What was deleted, and with which version."""

    local: Path | None = None
    """A folder: then it is the program on a machine, whose files lie there."""

    def add(self, key: str, **data: Any) -> None:
        self.version += 1
        self.items[key] = {"key": key, "version": self.version, **data}

    def delete(self, key: str) -> None:
        self.version += 1
        del self.items[key]
        self.deleted[key] = self.version

    def change(self, key: str, **data: Any) -> None:
        known = {k: v for k, v in self.items[key].items() if k not in {"key", "version"}}
        self.add(key, **known | data)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{'/api' if self.local else ''}"

    @property
    def _root(self) -> str:
        return "/api/users/0" if self.local else "/users/42"

    def __enter__(self) -> Self:
        library = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                library.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(handler.path)
        parts = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if self.refusals:
            status, headers = self.refusals.pop(0)
            self._send(handler, status, b"no", headers)
        elif not self.local and handler.headers.get("Authorization") != f"Bearer {KEY}":
            self._send(handler, 403, b"Forbidden", {})
        elif handler.headers.get("Zotero-API-Version") != "3":
            self._send(handler, 400, b"API version", {})
        elif not self.local and (
            handler.headers.get("If-Modified-Since-Version") == str(self.version)
        ):
            self._send(handler, 304, b"", {})
        elif not parts.path.startswith(self._root):
            self._send(handler, 404, b"Not found", {})
        else:
            self._answer(handler, parts.path.removeprefix(self._root), query)

    def _answer(self, handler: BaseHTTPRequestHandler, path: str, query: dict[str, str]) -> None:
        whole = self._root + path
        if path == "/deleted" and not self.local:
            since = int(query["since"])
            gone = [key for key, version in self.deleted.items() if version > since]
            self._send_json(handler, {"items": gone, "collections": [], "tags": []}, {})
        elif path == "/items/trash":
            self._send_page(handler, whole, query, self._listed(None, query, binned=True))
        elif (found := re.fullmatch(r"/items/(\w+)/file", path)) and self.local:
            place = (self.local / f"{found.group(1)}.pdf").as_uri()
            self._send(handler, 302, b"", {"Location": place})
        elif found := re.fullmatch(r"/items/(\w+)/file", path):
            raw = self.files.get(found.group(1))
            headers = {"Content-Type": "application/pdf"}
            self._send(handler, 200 if raw else 404, raw or b"Not found", headers)
        elif path == "/items" and query.get("format") == "versions":
            versions = {key: each["version"] for key, each in self.items.items()}
            self._send_json(handler, versions, {})
        elif path == "/items":
            self._send_page(handler, whole, query, self._listed(None, query))
        elif path == "/collections":
            named = [
                {"key": key, "version": 1, "data": {"key": key, "name": name}}
                for key, name in self.collections.items()
            ]
            self._send_page(handler, whole, query, named)
        elif found := re.fullmatch(r"/collections/(\w+)/items", path):
            self._send_page(handler, whole, query, self._listed(found.group(1), query))
        else:
            self._send(handler, 404, b"Not found", {})

    def _listed(
        self, collection: str | None, query: dict[str, str], *, binned: bool = False
    ) -> list[dict[str, Any]]:
        keys = query["itemKey"].split(",") if "itemKey" in query else None

        def within(item: dict[str, Any]) -> bool:
            if keys is not None and item["key"] not in keys:
                return False
            top = item
            while not top.get("deleted") and top.get("parentItem") in self.items:
                top = self.items[top["parentItem"]]
            # What is in the bin is listed there; what belongs to it is listed nowhere.
            if binned:
                return bool(item.get("deleted"))
            if top.get("deleted"):
                return False
            return collection is None or collection in top.get("collections", ())

        return [
            {"key": key, "version": each["version"], "data": each}
            for key, each in self.items.items()
            if within(each)
        ]

    def _send_page(
        self,
        handler: BaseHTTPRequestHandler,
        path: str,
        query: dict[str, str],
        found: list[dict[str, Any]],
    ) -> None:
        start = int(query.get("start", 0))
        page = found[start : start + self.page]
        headers = {"Total-Results": str(len(found))}
        links = []
        if start + self.page < len(found):
            following = urlencode(query | {"start": str(start + self.page)})
            host = self.url.removesuffix("/api")
            links.append(f'<{host}{path}?{following}>; rel="next"')
        links.append(f'<https://www.zotero.org{path}>; rel="alternate"')
        headers["Link"] = ", ".join(links)
        self._send_json(handler, page, headers)

    def _send_json(
        self, handler: BaseHTTPRequestHandler, said: Any, headers: dict[str, str]
    ) -> None:
        kind = {"Content-Type": "application/json"}
        self._send(handler, 200, json.dumps(said).encode(), kind | headers)

    def _send(
        self, handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]
    ) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": "text/plain", **headers}.items():
            handler.send_header(name, value)
        handler.send_header("Last-Modified-Version", str(self.version))
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
