"""One-time codes: good for ten minutes and for one use."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

LIFETIME = timedelta(minutes=10)


@dataclass
class Code:
    customer: str
    digits: str
    issued_at: datetime
    used: bool = False


def issue(customer: str, now: datetime) -> Code:
    return Code(customer, f"{secrets.randbelow(1_000_000):06}", now)


def minute_of_day(moment: datetime) -> int:
    return moment.hour * 60 + moment.minute


def is_valid(code: Code, now: datetime) -> bool:
    if code.used:
        return False
    age = minute_of_day(now) - minute_of_day(code.issued_at)
    return 0 <= age < LIFETIME.seconds // 60
