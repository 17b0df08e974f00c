"""Logging in on the page: a token, or a code from the terminal, becomes a cookie. No script takes part in it."""

import re
from base64 import b64encode
from hashlib import sha256
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from contracts.http.guard import LOGIN, LOGOUT, PAGE, Door, Refused, cookie_name, count_failure
from contracts.http.sessions import SESSION_HOURS

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif; }
body { margin: 0; background: light-dark(#f8f7f4, #121417); color: light-dark(#1c1e21, #e8e6e1); }
main { max-width: 24rem; margin: 14vh auto; padding: 28px; border: 1px solid light-dark(#e2dfd8, #2c3138);
  border-radius: 10px; background: light-dark(#ffffff, #1a1d22); }
h1 { margin: 0 0 18px; font-size: 1.35rem; letter-spacing: -0.015em; }
label { display: block; font-weight: 600; }
input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: 9px 12px;
  margin: 6px 0 16px; border-radius: 8px; }
input { border: 1px solid light-dark(#8a8f97, #6b727c); background: transparent; color: inherit; }
button { border: 0; background: light-dark(#2850bd, #93b4ff); color: light-dark(#ffffff, #0d1526); font-weight: 600; }
:focus-visible { outline: 2px solid light-dark(#2850bd, #93b4ff); outline-offset: 2px; }
[hidden] { display: none; }
p { margin: 0; color: light-dark(#5b5f66, #a3a8b0); font-size: 0.87rem; }
p[role=alert] { color: light-dark(#a3241c, #ff9f96); margin-bottom: 14px; }
@media (max-width: 30rem) { main { margin: 0; border: 0; background: transparent; } }
"""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>research-agent: sign in</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style></head>
<body><main><h1>research-agent</h1>{says}
<form method="post"{action}>
<input name="username" value="research-agent" autocomplete="username" hidden>
<label for="token">Token</label>
<input id="token" name="token" type="password" required autofocus autocomplete="current-password">
<button>Sign in</button></form>
<p>The server prints one when it starts, unless tokens are stored. To make one that may also start research:
<code>research-agent token add NAME --scope write</code></p>
</main></body></html>
"""
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_CODE = re.compile(r"[A-Za-z0-9_-]{20,100}")


def login_form(path: str = LOGIN, says: str = "") -> Response:
    """The page that asks for a token."""
    # A form without an address of its own keeps what stands behind the `#`, and so does the reply to it.
    action = "" if path == PAGE else f' action="{LOGIN}"'
    alert = f'<p role="alert">{says}</p>' if says else ""
    return HTMLResponse(
        _PAGE.format(style=_STYLE, action=action, says=alert),
        401,
        {
            "WWW-Authenticate": 'Bearer realm="research-agent"',
            "Content-Security-Policy": _POLICY,
            # So that the form says where it comes from, and whether that is on https.
            "Referrer-Policy": "same-origin",
        },
    )


def routes(door: Door) -> list[Route]:
    """Where one logs in and out."""

    async def log_in(request: Request) -> Response:
        if request.method == "POST":
            return await _with_token(door, request)
        code = request.query_params.get("code")
        return _with_code(door, request, code) if code else login_form()

    async def log_out(request: Request) -> Response:
        name = cookie_name(request.scope)
        door.sessions.close(request.cookies.get(name, ""))
        response = RedirectResponse(PAGE, 303)
        response.delete_cookie(name, httponly=True, samesite="strict")
        return response

    return [
        Route(LOGIN, log_in, methods=["GET", "POST"]),
        Route(PAGE, log_in, methods=["POST"]),
        Route(LOGOUT, log_out, methods=["POST"]),
    ]


async def _with_token(door: Door, request: Request) -> Response:
    try:
        said = parse_qs((await request.body()).decode(), max_num_fields=4).get("token", [""])
    except ValueError:
        said = [""]
    token = door.tokens.find(said[0].strip())
    return _opened(door, request, token.digest if token else None, "That token is not known here.")


def _with_code(door: Door, request: Request, code: str) -> Response:
    digest = door.sessions.redeem(code) if _CODE.fullmatch(code) else None
    return _opened(door, request, digest, "That link was used already, or is too old.")


def _opened(door: Door, request: Request, digest: str | None, else_says: str) -> Response:
    if digest is None:
        try:
            count_failure(door, request.scope)
        except Refused as refusal:
            form = login_form(request.url.path, f"{refusal} {refusal.advice}")
            form.status_code = refusal.status
            form.headers.update(refusal.headers)
            return form
        return login_form(request.url.path, else_says)
    response = RedirectResponse(PAGE, 303)
    response.set_cookie(
        cookie_name(request.scope),
        door.sessions.open(digest),
        max_age=SESSION_HOURS * 3600,
        secure=request.headers.get("origin", "").startswith("https:"),
        httponly=True,
        samesite="strict",
    )
    return response
