"""Client of the document of dynamic agent teams: one method for each endpoint."""

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from sse import Event, SseParser

# The longest silence of a response. A heartbeat comes every 30 seconds, but a response in one piece has none.
STREAM_SECONDS = 60
RESPONSE_SECONDS = 300


@dataclass(frozen=True)
class Response:
    """Response in one piece. `body` is the parsed JSON, or None if there is no body."""

    request: str
    status: int
    headers: http.client.HTTPMessage
    body: Any


class NoStream(Exception):
    """A response to a request for a stream that is no stream."""

    def __init__(self, response: Response):
        super().__init__(f"{response.request}: no stream, but {response.status} with {response.body}")
        self.response = response


class SilentStream(Exception):
    """A stream on which nothing came for too long."""


class EventStream:
    """Events of an execution, as they come. Use it with `with`: leaving closes the connection."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse):
        self.headers = response.headers
        self._connection, self._response, self._parser = connection, response, SseParser()
        self._events: list[Event] = []

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *_: object) -> None:
        # The response has the last reference to the socket: the server learns of the end only if both are closed.
        self._response.close()
        self._connection.close()

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        while not self._events:
            try:
                chunk = self._response.read1(65536)
            except TimeoutError:
                words = f"nothing came on the stream for {STREAM_SECONDS} s; a heartbeat should come every 30 s"
                raise SilentStream(words) from None
            if not chunk:
                raise StopIteration
            self._events = self._parser.feed(chunk)
        return self._events.pop(0)


class TeamsClient:
    """Client with the token of one participant. Without a token, no `Authorization` is sent."""

    def __init__(self, base_url: str, token: str | None):
        self._base = urlsplit(base_url.rstrip("/"))
        self._token = token

    def request(self, method: str, path: str, body: Any = None, query: dict | None = None, headers=None) -> Response:
        """Sends a request and reads its whole response."""
        connection, response = self._send(method, path, body, query, headers, RESPONSE_SECONDS)
        try:
            return self._read(f"{method} {path}", response)
        finally:
            connection.close()

    def stream(self, method: str, path: str, body: Any = None, headers=None) -> EventStream:
        """Opens a stream. Raises `NoStream` for any other response."""
        connection, response = self._send(method, path, body, None, headers, STREAM_SECONDS)
        if response.status == 200 and response.headers.get_content_type() == "text/event-stream":
            return EventStream(connection, response)
        try:
            raise NoStream(self._read(f"{method} {path}", response))
        finally:
            connection.close()

    # Teams

    def create_team(self, body: Any) -> Response:
        return self.request("POST", "/api/v1/teams", body)

    def get_team(self, team: str) -> Response:
        return self.request("GET", f"/api/v1/teams/{_segment(team)}")

    def list_teams(self, **query: Any) -> Response:
        return self.request("GET", "/api/v1/teams", query=query)

    def delete_team(self, team: str, **query: Any) -> Response:
        return self.request("DELETE", f"/api/v1/teams/{_segment(team)}", query=query)

    # Executions

    def execute_json(self, team: str, body: Any, key: str | None = None) -> Response:
        """Executes a team and waits for the result. `stream` is set to false."""
        return self.execute_raw(team, {**body, "stream": False}, key)

    def execute_raw(self, team: str, body: Any, key: str | None = None) -> Response:
        """Sends a body as it is, for a response that is no stream."""
        return self.request("POST", f"/api/v1/teams/{_segment(team)}/execute", body, headers=_idempotency(key))

    def execute_stream(self, team: str, body: Any, key: str | None = None) -> EventStream:
        """Executes a team and returns its events as they come."""
        return self.stream("POST", f"/api/v1/teams/{_segment(team)}/execute", body, headers=_idempotency(key))

    def resume_stream(self, execution: str, last_event_id: str) -> EventStream:
        """Returns the events of an execution after the one with this id."""
        path = f"/api/v1/executions/{_segment(execution)}/events"
        return self.stream("GET", path, headers={"Last-Event-ID": last_event_id})

    def execution(self, execution: str) -> Response:
        return self.request("GET", f"/api/v1/executions/{_segment(execution)}")

    def list_executions(self, team: str, **query: Any) -> Response:
        return self.request("GET", f"/api/v1/teams/{_segment(team)}/executions", query=query)

    def log(self, execution: str, **query: Any) -> Response:
        return self.request("GET", f"/api/v1/executions/{_segment(execution)}/log", query=query)

    def control(self, execution: str, action: str) -> Response:
        """Cancels, pauses or resumes an execution: `action` is `cancel`, `pause` or `resume`."""
        return self.request("POST", f"/api/v1/executions/{_segment(execution)}/{action}")

    # Structured output

    def structured_output(self, team: str, body: Any) -> Response:
        return self.request("POST", f"/api/v1/teams/{_segment(team)}/structured-output", body)

    def _send(self, method: str, path: str, body: Any, query: dict | None, headers: dict | None, seconds: int):
        kind = http.client.HTTPSConnection if self._base.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._base.netloc, timeout=seconds)
        sent = {"Accept": "application/json, text/event-stream", **(headers or {})}
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False).encode()
            sent["Content-Type"] = "application/json"
        target = self._base.path + path + (f"?{urlencode(query)}" if query else "")
        try:
            connection.request(method, target, data, sent)
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    @staticmethod
    def _read(request: str, response: http.client.HTTPResponse) -> Response:
        text = response.read().decode()
        is_json = response.headers.get_content_type() == "application/json"
        body = json.loads(text) if is_json and text else text or None
        return Response(request, response.status, response.headers, body)


def _segment(text: str) -> str:
    return quote(text, safe="")


def _idempotency(key: str | None) -> dict:
    return {} if key is None else {"Idempotency-Key": key}
