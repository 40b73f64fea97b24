from datetime import datetime, timedelta

from shop.codes import is_valid, issue

NOON = datetime(2026, 3, 14, 12, 0)


def test_a_fresh_code_is_valid():
    assert is_valid(issue("ann", NOON), NOON)


def test_an_old_code_is_not():
    assert not is_valid(issue("ann", NOON), NOON + timedelta(minutes=10))


def test_a_used_code_is_not():
    code = issue("ann", NOON)
    code.used = True
    assert not is_valid(code, NOON)
