"""Parts that scenarios share: clients, names, teams that are deleted at the end, and threads."""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bodies import Names
from client import EventStream, Response, TeamsClient
from expect import Mismatch, accepted, expect, shape, show, success, uuid_text
from stream import TeamEvent, Trace, read_event, read_events

# The longest wait for a state that no stream reports.
WAIT_SECONDS = 30
POLL_SECONDS = 0.02


class Skip(Exception):
    """The scenario needs something that the caller did not give."""


class Fixture:
    """What one scenario works with."""

    def __init__(self, base_url: str, token: str, other_token: str | None, names: Names):
        self.names = names
        self.client = TeamsClient(base_url, token)
        self.nobody = TeamsClient(base_url, None)
        self.intruder = TeamsClient(base_url, f"not-{uuid.uuid4()}")
        self._other = other_token and TeamsClient(base_url, other_token)
        self._teams: list[str] = []

    @property
    def other(self) -> TeamsClient:
        """Client of another participant."""
        if not self._other:
            raise Skip("needs OTHER_TOKEN")
        return self._other

    def team(self, body: dict) -> str:
        """Creates a team, which is deleted at the end of the scenario. Returns its id."""
        team = success(self.client.create_team(body), 201)["team_id"]
        self._teams.append(team)
        return team

    def run(self, team: str, body: dict, key: str | None = None) -> dict:
        """Executes a team without a stream. Returns the response to an execution that succeeded."""
        fields = {"execution_id": uuid_text, "team_id": team, "status": "success"}
        return shape(success(self.client.execute_json(team, body, key)), fields, "execution without a stream")

    def trace(self, team: str, team_body: dict, body: dict, key: str | None = None) -> Trace:
        """Executes a team as a stream, reads all of it, and checks that it succeeded."""
        with self.client.execute_stream(team, body, key) as stream:
            return Trace(read_events(stream, team), team_body)

    def clean_up(self) -> None:
        """Deletes the teams of the scenario, with executions that are under way."""
        for team in self._teams:
            response = self.client.delete_team(team, cancel="true")
            # The scenario itself can have deleted it.
            words = f"{response.request}?cancel=true: expected 204, got {response.status} with {show(response.body)}"
            expect(response.status in (204, 404), words)


def fresh_key() -> str:
    """A new idempotency key."""
    return str(uuid.uuid4())


def read_until(stream: EventStream, team: str, name: str) -> list[TeamEvent]:
    """Reads a stream up to the first event of this name. Returns the events up to this one."""
    events = []
    for event in stream:
        events.append(read_event(event, team))
        if event.name == name:
            return events
    raise Mismatch(f"the stream ended without {name}")


@contextmanager
def paused(client: TeamsClient, team: str, body: dict, key: str | None = None) -> Iterator[tuple[EventStream, str]]:
    """Starts an execution and pauses it at its first event. Gives its stream and its id."""
    with client.execute_stream(team, body, key) as stream:
        execution = read_until(stream, team, "execution_start")[0].data["execution_id"]
        accepted(client.control(execution, "pause"))
        yield stream, execution


class Call:
    """A request in a thread of its own."""

    def __init__(self, request: Callable[[], Response]):
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(request,), daemon=True)
        self._thread.start()

    def _run(self, request: Callable[[], Response]) -> None:
        try:
            self._result = request()
        except BaseException as error:  # It is raised where the result is read.
            self._error = error

    def response(self) -> Response:
        """Waits for the response."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result

    def while_open(self, look: Callable[[], Any], what: str) -> Any:
        """Looks again and again until there is something. The response must not come before that."""
        for _ in range(round(WAIT_SECONDS / POLL_SECONDS)):
            if found := look():
                return found
            self._thread.join(POLL_SECONDS)
            if not self._thread.is_alive():
                response = self.response()
                raise Mismatch(f"{response.request} was answered with {response.status} before {what}")
        raise Mismatch(f"waited {WAIT_SECONDS} s for {what}")


def all_at_once(requests: list[Callable[[], Response]]) -> list[Response]:
    """Sends requests at the same time. Returns their responses in the same order."""
    return [call.response() for call in [Call(request) for request in requests]]
