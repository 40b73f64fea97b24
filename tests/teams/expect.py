"""Assertions. Each says what the document expects, and what came instead."""

import itertools
import json
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from client import Response

MAX_SHOWN_CHARS = 600


class Mismatch(Exception):
    """Something is not as the document says."""


def expect(condition: Any, words: str) -> None:
    if not condition:
        raise Mismatch(words)


def equal(actual: Any, expected: Any, what: str) -> None:
    expect(actual == expected, f"{what}: expected {show(expected)}, got {show(actual)}")


def show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


# Checks of single values, for `shape`. Each returns whether the value is as its name says.


def text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def any_text(value: Any) -> bool:
    return isinstance(value, str)


def text_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def uuid_text(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(uuid.UUID(value))
    except ValueError:
        return False


def timestamp(value: Any) -> bool:
    """A time such as 2024-01-01T00:00:00Z, with a time zone."""
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def truth(value: Any) -> bool:
    return isinstance(value, bool)


def array(value: Any) -> bool:
    return isinstance(value, list)


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


def anything(_: Any) -> bool:
    return True


def shape(value: Any, fields: dict[str, Any], what: str) -> dict:
    """Checks that an object has these fields: each with a value, or one that passes a check. It can have others."""
    expect(mapping(value), f"{what}: expected an object, got {show(value)}")
    for name, wanted in fields.items():
        expect(name in value, f"{what}: field {name} is missing in {show(value)}")
        if isinstance(wanted, Callable):
            expect(wanted(value[name]), f"{what}: {name} should be {wanted.__name__}, not {show(value[name])}")
        else:
            equal(value[name], wanted, f"{what}: {name}")
    return value


def success(response: Response, status: int = 200) -> Any:
    """Checks the status of a response. Returns its body."""
    expect(
        response.status == status,
        f"{response.request}: expected {status}, got {response.status} with {show(response.body)}",
    )
    return response.body


def accepted(response: Response) -> None:
    """Checks that a request without a specified response succeeded."""
    words = f"{response.request}: expected 200, 202 or 204, got {response.status} with {show(response.body)}"
    expect(response.status in (200, 202, 204), words)


def error(response: Response, status: int | tuple[int, ...], code: str | None = None) -> dict:
    """Checks an error response: its status, its `error_code`, and the fields of every error. Returns its body."""
    statuses = status if isinstance(status, tuple) else (status,)
    wanted = " or ".join(map(str, statuses)) + (f" {code}" if code else "")
    words = f"{response.request}: expected {wanted}, got {response.status} with {show(response.body)}"
    expect(response.status in statuses, words)
    fields = {"error_code": text, "error_message": text, "code": text, "retryable": truth}
    body = shape(response.body, fields, f"{response.request}, error {response.status}")
    expect(code is None or body["error_code"] == code, words)
    return body


def page(response: Response, name: str, number: int, size: int) -> list:
    """Checks a page of a list. Returns its entries."""
    what = f"{response.request}, page {number} of size {size}"
    body = shape(success(response), {name: array, "page": number, "size": size, "total": count}, what)
    entries = body[name]
    left = max(0, body["total"] - (number - 1) * size)
    equal(len(entries), min(size, left), f"{what}: number of entries with a total of {body['total']}")
    return entries


def all_pages(read: Callable[[int, int], Response], name: str, size: int) -> list:
    """Reads a list page by page. Returns all entries."""
    entries: list = []
    for number in itertools.count(1):
        found = page(read(number, size), name, number, size)
        entries += found
        if len(found) < size:
            return entries


def matches_schema(value: Any, schema: dict, path: str = "$") -> None:
    """Checks a value with the part of JSON Schema that the document's example uses."""
    kinds = {"object": mapping, "array": array, "string": any_text, "integer": lambda number: type(number) is int}
    expect(kinds[schema["type"]](value), f"{path}: expected {schema['type']}, got {show(value)}")
    if "enum" in schema:
        expect(value in schema["enum"], f"{path}: expected one of {schema['enum']}, got {show(value)}")
    for name in schema.get("required", []):
        expect(name in value, f"{path}: required property {name} is missing in {show(value)}")
    for name, part in schema.get("properties", {}).items():
        if name in value:
            matches_schema(value[name], part, f"{path}.{name}")
    for index, item in enumerate(value if "items" in schema else []):
        matches_schema(item, schema["items"], f"{path}[{index}]")
