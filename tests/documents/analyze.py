"""Plays the document of the door `analyze` against a server, as a front end that knows nothing but the document.

Usage: analyze.py http://127.0.0.1:8080
"""

import json
import sys
import urllib.error
import urllib.request

SERVER = sys.argv[1].rstrip("/")
KINDS = {"progress", "plan", "step_execution", "user_input_request", "user_reply", "result", "done"}
ASK = "请求用户输入"


def post(path, body, headers=None):
    headers = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(SERVER + path, data=json.dumps(body).encode(), headers=headers)
    return urllib.request.urlopen(request, timeout=60)


def refused(status, path, body):
    try:
        post(path, body)
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{body}: {error.code} instead of {status}"
        assert json.load(error)["detail"], "a reason in words"
        return
    raise AssertionError(f"{body} was not refused")


def events(response):
    """The events of a stream, each with the name that the SSE frame gives it."""
    name = None
    for line in response:
        if line.startswith(b"event: "):
            name = line[7:].decode().strip()
        elif line.startswith(b"data: "):
            event = json.loads(line[6:])
            assert event["type"] == name and name in KINDS, event
            yield event


def check_plan(event):
    """Steps are numbered from 1 and stand in their order; a question is a step like the others."""
    steps = event["plan_steps"]
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1)), steps
    assert 0 <= event["current_step"] <= len(steps)
    for step in steps:
        assert step["action"] and step["tool_name"] and isinstance(step["tool_params"], dict), step
        if step["tool_name"] == "user_input":
            assert step["action"] == ASK and {*step["tool_params"]} == {"question", "context"}, step
    return steps


def play(body, reply):
    """An analysis from its question to its end; every question of the server is answered with `reply`."""
    steps, seen, asked = [], [], None
    with post("/api/v1/analyze/stream", body) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        for event in events(stream):
            kind = event["type"]
            if kind == "plan":
                steps = check_plan(event)
            elif kind == "step_execution":
                step = steps[event["step"] - 1]
                assert (event["action"], event["tool_name"]) == (step["action"], step["tool_name"])
                assert event["status"] in ("completed", "failed"), event
                kind += f" {event['tool_name']}"
            elif kind == "user_input_request":
                # The page finds the step of a question by what it asks.
                matching = [step for step in steps if step["tool_params"].get("question") == event["question"]]
                assert [step["tool_name"] for step in matching] == ["user_input"], steps
                assert matching[0]["tool_params"]["context"] == event["context"]
                asked = event["request_id"]
                answer = {"request_id": asked, "reply": reply}
                with post("/api/v1/analyze/reply", answer) as replied:
                    assert replied.status == 200 and json.load(replied)["request_id"] == asked
                refused(409, "/api/v1/analyze/reply", answer)
            elif kind == "user_reply":
                assert (event["request_id"], event["reply"]) == (asked, reply), event
            elif kind == "result":
                assert event["root_cause"] and isinstance(event["suggestions"], list), event
            seen.append(kind)
    return steps, seen


def without_progress(seen):
    return [kind for kind in seen if kind != "progress"]


def looks_asks_and_concludes():
    body = {
        "original_input": "登录为什么在午夜之后失败？",
        "context_files": [{"path": "login.log", "content": "00:01 login failed"}],
    }
    steps, seen = play(body, "1.2 版")
    assert [step["tool_name"] for step in steps][-1] == "user_input" and len(steps) > 1, steps
    # The step is completed first, then the reply is shown.
    order = ["user_input_request", "step_execution user_input", "user_reply", "result", "done"]
    assert without_progress(seen)[-5:] == order, seen
    executed = [kind for kind in seen if kind.startswith("step_execution")]
    assert executed == [f"step_execution {step['tool_name']}" for step in steps], seen
    assert seen[0] == "progress"


def asks_while_it_plans():
    # Without a code base there is nothing to look into: the plan begins with a question.
    steps, seen = play({"original_input": "登录为什么在午夜之后失败？", "code": []}, "1.2 版")
    assert [(step["step"], step["tool_name"]) for step in steps] == [(1, "user_input")], steps
    order = ["plan", "user_input_request", "step_execution user_input", "user_reply", "result", "done"]
    assert without_progress(seen) == order, seen


def adjusts_its_plan():
    steps, seen = play({"original_input": "登录为什么失败？请调整计划，不要提问"}, "")
    assert seen.count("plan") == 2 and "user_input_request" not in seen, seen
    assert all(step["tool_name"] != "user_input" for step in steps)
    assert seen[-2:] == ["result", "done"], seen


def main():
    looks_asks_and_concludes()
    asks_while_it_plans()
    adjusts_its_plan()
    refused(400, "/api/v1/analyze/stream", {"original_input": " "})
    refused(404, "/api/v1/analyze/reply", {"request_id": "x", "reply": "1.2"})
    refused(400, "/api/v1/analyze/reply", {"request_id": "x"})
    print("played")


main()
