"""Parser of server-sent events, as section 9.2.6 of the HTML standard describes it."""

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """One event of a stream. `last_event_id` is the newest `id:` of the stream, `own_id` whether this event set it."""

    name: str
    data: str
    last_event_id: str
    own_id: bool


class SseParser:
    """Parses the bytes of a stream piece by piece. An event without its final empty line is never delivered."""

    def __init__(self):
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._at_start = True
        self._after_cr = False
        self._name = ""
        self._data = []
        self._last_event_id = ""
        self._own_id = False

    def feed(self, chunk: bytes) -> list[Event]:
        """Returns the events that these bytes complete."""
        text = self._decoder.decode(chunk)
        if self._at_start and text:
            self._at_start = False
            text = text.removeprefix("\ufeff")
        # A line ends with CR, LF or CRLF. The LF of a CRLF can come with the next bytes.
        if self._after_cr and text:
            self._after_cr = False
            text = text.removeprefix("\n")
        self._after_cr = self._after_cr or text.endswith("\r")
        *lines, self._text = (self._text + text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
        return [event for event in map(self._line, lines) if event is not None]

    def _line(self, line: str) -> Event | None:
        if not line:
            return self._dispatch()
        # A line that starts with a colon is a comment: its field name is empty, which is no known field.
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "event":
                self._name = value
            case "data":
                self._data.append(value)
            case "id" if "\0" not in value:
                self._last_event_id, self._own_id = value, True
        return None

    def _dispatch(self) -> Event | None:
        name, data, own_id = self._name or "message", self._data, self._own_id
        self._name, self._data, self._own_id = "", [], False
        if not data:
            return None
        return Event(name, "\n".join(data), self._last_event_id, own_id)
