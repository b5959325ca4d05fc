"""The local server of the explorer: one page, its handlers, and refusal of whatever is not that page."""

import asyncio
import json
import logging
import secrets
import socket
import warnings
from collections.abc import Callable
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from rankworth.errors import RankworthError, RankworthWarning, UsageError
from rankworth.explorer import playground
from rankworth.explorer.inspector import Inspector
from rankworth.pages import SHARED

HOST: Final = "127.0.0.1"
PORT: Final = 8123
_HTTP: Final = 80
"""the port that browsers leave out of the host"""
_PORTS: Final = 20
"""how many ports are tried"""
LARGEST: Final = 2 << 20
"""how many bytes a request may have"""
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_PAGE: Final = SHARED | {each.name: each for each in (files("rankworth.explorer") / "page").iterdir()}
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
Handler = Callable[[Any], Any]
_log: Final = logging.getLogger(__name__)


class _Pages:
    """The pages of one server: the page itself, its files, and the answers of its handlers."""

    def __init__(self, inspector: Inspector | None, token: str, port: int) -> None:
        self.token, self.cookie = token, f"rankworth-{port}"
        self.hosts = (f"{HOST}:{port}", f"localhost:{port}", *((HOST, "localhost") if port == _HTTP else ()))
        self.turn = asyncio.Lock()
        names: tuple[str, ...] = ("score", "curve", "profiles", "difference", "changes", "export")
        self.handlers: dict[str, Handler] = {name: getattr(playground, name) for name in names}
        self.handlers["start"] = lambda _: playground.start() | {"session": inspector.session() if inspector else None}
        if inspector is not None:
            names = ("rows", "query", "moves", "judge", "to_judge", "means", "findings", "grades", "playground")
            self.handlers |= {name: getattr(inspector, name) for name in names}

    def check(self, request: Request, token: str | None = None) -> None:
        """Refuse a request to another host or of another site, and one without the token."""
        host = request.headers.get("host", "")
        if host.lower() not in self.hosts:
            raise HTTPException(400, "the request is for another host")
        site = request.headers.get("sec-fetch-site", "same-origin")
        if request.headers.get("origin", f"http://{host}") != f"http://{host}" or site not in ("same-origin", "none"):
            raise HTTPException(403, "the request comes from another site")
        token = request.cookies.get(self.cookie, "") if token is None else token
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            raise HTTPException(401, "the token is missing or wrong: open the address that rankworth explore printed")

    async def page(self, request: Request) -> Response:
        """Serve the page; the token of its address moves to a cookie, so that links to the page do not hold it."""
        token = request.query_params.get("token")
        self.check(request, token)
        if token is None:
            return _file("index.html")
        response = RedirectResponse("/", 303, headers=HEADERS)
        response.set_cookie(self.cookie, token, httponly=True, samesite="strict")
        return response

    async def static(self, request: Request) -> Response:
        """Serve a file of the page."""
        self.check(request)
        return _file(request.path_params["name"])

    async def answer(self, request: Request) -> Response:
        """Answer by a handler, one request at a time; with nothing if the page does not wait for it any more."""
        self.check(request)
        handler = self.handlers.get(request.path_params["name"])
        if handler is None:
            raise HTTPException(404, "there is no such page")
        body = await _body(request)
        async with self.turn:
            if await request.is_disconnected():
                return Response(status_code=204, headers=HEADERS)
            return await run_in_threadpool(_answer, handler, body)


def application(inspector: Inspector | None, token: str, port: int) -> Starlette:
    """Build the routes of the explorer; every answer has the headers that keep the page to itself.

    Args:
        inspector: the runs, where there are some.
        token: what the address that is printed ends in; without it nothing is answered but a refusal.
        port: where the server listens; cookies of two servers have different names.

    """
    pages = _Pages(inspector, token, port)
    routes = [
        Route("/", pages.page),
        Route("/page/{name}", pages.static),
        Route("/api/{name}", pages.answer, methods=["POST"]),
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _failed)
    return app


def _answer(handler: Handler, request: Any) -> Response:  # noqa: ANN401 - JSON
    """Answer with the result of a handler, or with its error."""
    try:
        # Warnings about values are notes of the page.
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            return JSONResponse(handler(request), headers=HEADERS)
    except RankworthError as error:
        return _error(422, error.slug, "\n".join(error.problems), error.remedy)


def _error(status: int, slug: str, text: str, remedy: str = "") -> Response:
    """Return an error that the page shows."""
    return JSONResponse({"error": {"slug": slug, "text": text, "remedy": remedy}}, status, HEADERS)


def _file(name: str) -> Response:
    """Serve a file of the page."""
    if name not in _PAGE:
        raise HTTPException(404, "there is no such page")
    suffix = name[name.rindex(".") :]
    return Response(_PAGE[name].read_bytes(), headers=HEADERS, media_type=_TYPES[suffix])


async def _body(request: Request) -> Any:  # noqa: ANN401 - JSON
    """Read the JSON of a request."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "requests are application/json")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST:
                raise HTTPException(413, f"a request has at most {LARGEST >> 20} MB")
        return json.loads(body)
    except (ValueError, RecursionError, ClientDisconnect):
        raise HTTPException(400, "the request is no JSON") from None


async def _refused(request: Request, error: Any) -> Response:  # noqa: ANN401 - a handler takes any exception
    _log.warning("refused %s %r: %s", request.method, request.url.path, error.detail)
    return PlainTextResponse(f"{error.detail}\n", error.status_code, HEADERS)


async def _failed(request: Request, error: Exception) -> Response:
    _log.error("failed: %s %r", request.method, request.url.path, exc_info=error)
    return _error(500, "", "the request failed; the terminal shows why")


def listening(port: int) -> socket.socket:
    """Open a socket at the first port from this one on that is free.

    Raises:
        UsageError: `port-in-use`.

    """
    last = min(port + _PORTS, 1 << 16) - 1
    for number in range(port, last + 1):
        try:
            return socket.create_server((HOST, number))
        except OSError:
            continue
    raise UsageError("port-in-use", f"the ports from {port} to {last} are in use", remedy="--port 9000")


def serve(inspector: Inspector | None, listener: socket.socket, token: str, ready: Callable[[], None]) -> None:
    """Answer until the process is interrupted.

    Args:
        inspector: the runs, where there are some.
        listener: where to listen.
        token: what requests must have.
        ready: called once the server answers.

    """
    import uvicorn  # noqa: PLC0415 - where there is a server

    app = application(inspector, token, listener.getsockname()[1])
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, lifespan="off", timeout_graceful_shutdown=1
    )
    ready()
    uvicorn.Server(config).run(sockets=[listener])
