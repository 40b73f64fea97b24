"""What the web front end calls to sign a customer in."""

from datetime import datetime

from shop.codes import Code, is_valid


class Refused(Exception):
    """The customer is asked for another code."""


def sign_in(codes: dict[str, Code], customer: str, digits: str, now: datetime) -> str:
    code = codes.get(customer)
    if code is None or code.digits != digits or not is_valid(code, now):
        raise Refused("this code is not valid; ask for a new one")
    code.used = True
    return customer
