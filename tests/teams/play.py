"""Plays the document of dynamic agent teams against a server, as a client that knows nothing but the document.

    python3 tests/teams/play.py BASE_URL TOKEN [OTHER_TOKEN] [options]

    python3 tests/teams/play.py http://127.0.0.1:8080 rt_… rt_… --only undefined_model --only list_teams

It needs Python 3.11 and no packages. TOKEN and OTHER_TOKEN are tokens of two members; without OTHER_TOKEN, the scenario
about rights is skipped. `--help` lists the scenarios; `--only` and `--skip` select them. The defaults of `--provider`,
`--model` and `--tool` fit a server with its demo model. The tool must run without approval, and the model must call it
if the task says so. `stream_with_a_broken_model` needs a model that fails: `--broken-model`.

Each scenario prints one line, and what the document expects at its first mismatch. The program ends with 1 if there was
one. Scenarios make their own teams and delete them. Several pause an execution at its first event, so the model should
wait before it answers: with the demo model, `demo.delay_ms` should be at least 100. `heartbeat` takes as long as the
interval of heartbeats.
"""

import argparse
import http.client
import sys
import textwrap
import time
import traceback
from collections.abc import Callable

# The folder of the tests stays clean.
sys.dont_write_bytecode = True

import scenarios_control  # noqa: E402
import scenarios_executions  # noqa: E402
import scenarios_history  # noqa: E402
import scenarios_structured  # noqa: E402
import scenarios_teams  # noqa: E402
import scenarios_topologies  # noqa: E402
from bodies import Names  # noqa: E402
from client import NoStream, SilentStream  # noqa: E402
from expect import Mismatch  # noqa: E402
from fixture import Fixture, Skip  # noqa: E402

MODULES = (
    scenarios_teams,
    scenarios_topologies,
    scenarios_executions,
    scenarios_control,
    scenarios_structured,
    scenarios_history,
)
SCENARIOS = {scenario.__name__: scenario for module in MODULES for scenario in module.SCENARIOS}


def main() -> int:
    arguments = read_arguments()
    names = Names(arguments.provider, arguments.model, arguments.tool, arguments.broken_model)
    chosen = [name for name in arguments.only or SCENARIOS if name not in arguments.skip]
    failed = 0
    for name in chosen:
        fixture = Fixture(arguments.base_url, arguments.token, arguments.other_token, names)
        began = time.monotonic()
        outcome, words = play(SCENARIOS[name], fixture)
        print(f"{outcome:4} {name} ({time.monotonic() - began:.1f} s){words}", flush=True)
        failed += outcome == "FAIL"
    print(f"{failed} of {len(chosen)} scenarios failed" if failed else "played")
    return 1 if failed else 0


def play(scenario: Callable[[Fixture], None], fixture: Fixture) -> tuple[str, str]:
    """Plays one scenario. Returns its outcome, and words about it."""
    outcome, words = "ok", ""
    try:
        scenario(fixture)
    except Skip as reason:
        outcome, words = "skip", f": {reason}"
    except (Mismatch, NoStream, SilentStream, OSError, http.client.HTTPException) as error:
        outcome, words = "FAIL", f": {summary(scenario)}\n     {type(error).__name__}: {error}"
    except Exception:  # A response that nobody thought of must not hide the results of the other scenarios.
        outcome, words = "FAIL", f": {summary(scenario)}\n{textwrap.indent(traceback.format_exc(), ' ' * 5)}"
    try:
        fixture.clean_up()
    except (Mismatch, OSError, http.client.HTTPException) as error:
        outcome, words = "FAIL", f"{words}\n     clean-up: {error}"
    return outcome, words


def summary(scenario: Callable[[Fixture], None]) -> str:
    return " ".join((scenario.__doc__ or "").split())


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Plays the document of dynamic agent teams against a server.",
        epilog="scenarios:\n" + "\n".join(f"  {name}: {summary(played)}" for name, played in SCENARIOS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base_url", metavar="BASE_URL", help="for example http://127.0.0.1:8080")
    parser.add_argument("token", metavar="TOKEN", help="token of a member")
    parser.add_argument("other_token", metavar="OTHER_TOKEN", nargs="?", help="token of another member")
    parser.add_argument("--provider", default="demo", help="model provider of the server (default: demo)")
    parser.add_argument("--model", default="demo", help="model of that provider (default: demo)")
    parser.add_argument("--tool", default="file_list", help="tool that runs without approval (default: file_list)")
    parser.add_argument("--broken-model", help="model of that provider whose every request fails (default: none)")
    choices = {"choices": SCENARIOS, "metavar": "SCENARIO", "action": "append", "default": []}
    parser.add_argument("--only", **choices, help="play this scenario only; can be repeated")
    parser.add_argument("--skip", **choices, help="leave this scenario out; can be repeated")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
