"""Plays the document of the door `analyze` against a server, as a front end that knows nothing but the document.

Usage: analyze.py http://127.0.0.1:8080 faulty=http://… removed=http://… token=… limited=s_…

The model of `faulty` refuses every request; the code base of `removed` is gone, so that every look into it fails. `token` is
a member's at the first server, and `limited` a session of theirs that takes three steps.
"""

import http.client
import json
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

SERVER = sys.argv[1].rstrip("/")
OTHERS = dict(argument.split("=", 1) for argument in sys.argv[2:])
STREAM, REPLY = "/api/v1/analyze/stream", "/api/v1/analyze/reply"
KINDS = {"progress", "plan", "step_execution", "user_input_request", "user_reply", "result", "done"}
ASK = "请求用户输入"
MEMBER = {"Authorization": f"Bearer {OTHERS['token']}"}


def call(method, path, body=None, headers=None, server=SERVER):
    headers = {"Content-Type": "application/json", **(headers or {})}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(server + path, data, headers, method=method), timeout=60)


def post(path, body, headers=None, server=SERVER):
    return call("POST", path, body, headers, server)


def refused(status, path, body, word="", headers=None):
    try:
        post(path, body, headers)
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{body}: {error.code} instead of {status}"
        detail = json.load(error)["detail"]
        assert detail and word in detail, f"{word} is not named in: {detail}"
        return
    raise AssertionError(f"{body} was not refused")


def events(response):
    """The events of a stream, each with the name that the SSE frame gives it; `id` is the last that came with one."""
    name, last = None, None
    for line in response:
        if line.startswith(b"event: "):
            name = line[7:].decode().strip()
        elif line.startswith(b"id: "):
            last = line[4:].decode().strip()
        elif line.startswith(b"data: "):
            event = json.loads(line[6:])
            assert event["type"] == name and name in KINDS, event
        elif not line.strip() and name:
            yield last, event
            name = None


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


class Page:
    """What the document's page does with an analysis; every question of the server is answered with `reply`."""

    def __init__(self, reply="1.2 版", headers=None):
        self.reply, self.headers = reply, headers
        self.steps, self.seen, self.asked, self.done = [], [], None, None

    def take(self, event):
        kind = event["type"]
        if kind == "plan":
            self.steps = check_plan(event)
            kind += f" {event['current_step']} of {len(self.steps)}"
        elif kind == "step_execution":
            step = self.steps[event["step"] - 1]
            assert (event["action"], event["tool_name"]) == (step["action"], step["tool_name"])
            kind += f" {event['tool_name']}"
            if event["status"] == "failed":
                assert any("\u4e00" <= letter <= "\u9fff" for letter in event["error"]), event
                assert "result" not in event, event
                kind += " failed"
            else:
                assert event["status"] == "completed" and event["result"] and "error" not in event, event
        elif kind == "user_input_request":
            # The page finds the step of a question by what it asks.
            matching = [step for step in self.steps if step["tool_params"].get("question") == event["question"]]
            assert [step["tool_name"] for step in matching] == ["user_input"], self.steps
            assert matching[0]["tool_params"]["context"] == event["context"]
            self.asked = event["request_id"]
            self.answer()
        elif kind == "user_reply":
            assert (event["request_id"], event["reply"]) == (self.asked, self.reply), event
        elif kind == "result":
            assert event["root_cause"] and isinstance(event["suggestions"], list), event
        elif kind == "done":
            self.done = event
        elif event.get("decision"):
            kind = f"decide {event['decision']}"
        self.seen.append(kind)

    def answer(self):
        answer = {"request_id": self.asked, "reply": self.reply}
        with post(REPLY, answer, self.headers) as replied:
            assert replied.status == 200 and json.load(replied)["request_id"] == self.asked
        refused(409, REPLY, answer, headers=self.headers)

    def outline(self):
        return [kind for kind in self.seen if kind != "progress"]


def play(body, status="completed", server=SERVER, headers=None):
    """An analysis from its question to its end."""
    page = Page(headers=headers)
    with post(STREAM, body, headers, server) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        for _, event in events(stream):
            page.take(event)
    assert page.done["status"] == status and page.seen[-1] == "done", page.done
    assert (status == "failed") == ("error" in page.done), page.done
    return page


def looks_asks_and_concludes():
    page = play({
        "original_input": "登录为什么在午夜之后失败？",
        "context_files": [{"path": "login.log", "content": "00:01 login failed"}],
    })
    assert [step["tool_name"] for step in page.steps][-1] == "user_input" and len(page.steps) > 1, page.steps
    # The step is completed first, then the reply is shown; nothing is planned after it, so a decision follows.
    order = ["user_input_request", "step_execution user_input", "user_reply", "decide synthesize", "result", "done"]
    assert page.outline()[-6:] == order, page.seen
    executed = [kind for kind in page.seen if kind.startswith("step_execution")]
    assert executed == [f"step_execution {step['tool_name']}" for step in page.steps], page.seen
    assert page.seen[0] == "progress"


def asks_while_it_plans():
    # Without a code base there is nothing to look into: the plan begins with a question.
    page = play({"original_input": "登录为什么在午夜之后失败？", "code": []})
    assert [(step["step"], step["tool_name"]) for step in page.steps] == [(1, "user_input")], page.steps
    order = ["plan 0 of 1", "user_input_request", "step_execution user_input", "user_reply", "decide synthesize"]
    assert page.outline() == [*order, "result", "done"], page.seen


def goes_on_with_its_plan_after_a_reply():
    # Section 6: while current_step < len(plan_steps), the next step is executed first, and the decision comes after it.
    page = play({"original_input": "登录为什么失败？先提问"})
    order = [
        "plan 0 of 3",
        "user_input_request",
        "step_execution user_input",
        "user_reply",
        "step_execution code_list",
        "decide continue",
        "step_execution code_search",
        "decide synthesize",
        "result",
        "done",
    ]
    assert page.outline() == order, page.seen


def is_asked_again():
    # Ten follow-up questions in one session, each with a plan, a result and an end of its own.
    with post(STREAM, {"original_input": "登录为什么失败？不要提问"}) as stream:
        session = stream.headers["X-Session-ID"]
        assert [event["type"] for _, event in events(stream)][-2:] == ["result", "done"]
    for number in range(1, 11):
        page = play({"session": session, "original_input": f"第 {number} 次：登录为什么失败？不要提问"})
        assert page.outline()[0].startswith("plan") and page.outline()[-2:] == ["result", "done"], page.seen


def decides_to_look_further():
    # Section 4: `continue` with next_steps extends the plan, which is shown anew.
    page = play({"original_input": "登录为什么失败？一步一步来，不要提问"})
    order = ["plan 0 of 1", "step_execution code_list", "decide continue", "plan 1 of 2", "step_execution code_search"]
    assert page.outline() == [*order, "decide synthesize", "result", "done"], page.seen


def adjusts_its_plan():
    page = play({"original_input": "登录为什么失败？请调整计划，不要提问"})
    assert len([kind for kind in page.seen if kind.startswith("plan")]) == 2, page.seen
    assert "decide adjust_plan" in page.seen and "user_input_request" not in page.seen, page.seen
    assert all(step["tool_name"] != "user_input" for step in page.steps)
    assert page.outline()[-2:] == ["result", "done"], page.seen


def shows_steps_that_fail():
    page = play({"original_input": "登录为什么失败？不要提问"}, server=OTHERS["removed"])
    failed = ["step_execution code_list failed", "step_execution code_search failed"]
    assert [kind for kind in page.seen if kind.startswith("step_execution")] == failed, page.seen
    assert page.outline()[-2:] == ["result", "done"], page.seen


def ends_without_a_result():
    page = play({"original_input": "登录为什么失败？"}, "failed", OTHERS["faulty"])
    assert "result" not in page.seen and page.done["error"]["code"] == "model_unauthorized", page.done
    assert page.done["error"]["message"] == "模型服务拒绝了密钥，请联系管理员检查 API 密钥", page.done

    # What was found until the limit is the result.
    page = play({"session": OTHERS["limited"], "original_input": "登录为什么失败？"}, "incomplete", headers=MEMBER)
    assert page.seen[-3:] == ["result", "progress", "done"], page.seen

    # Somebody else in the session stops it, while it asks.
    page = Page()
    page.answer = lambda: stop(page.session)
    with post(STREAM, {"original_input": "登录为什么失败？", "code": []}, MEMBER) as stream:
        page.session = stream.headers["X-Session-ID"]
        for _, event in events(stream):
            page.take(event)
    assert page.done == {"type": "done", "status": "cancelled"} and "result" not in page.seen, page.seen
    refused(409, REPLY, {"request_id": page.asked, "reply": "1.2"}, headers=MEMBER)


def stop(session):
    with call("GET", f"/api/v1/sessions/{session}", headers=MEMBER) as shown:
        run = json.load(shown)["state"]["run"]["id"]
    with post(f"/api/v1/sessions/{session}/commands", {"id": "stop", "do": "cancel", "data": {"run": run}}, MEMBER):
        pass


def is_taken_up_where_it_was_lost():
    body = {"original_input": "登录为什么在午夜之后失败？"}
    whole = play(body).seen
    place = urlsplit(SERVER)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
    connection.request("POST", STREAM, json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    session, page = response.headers["X-Session-ID"], Page()
    for last, event in events(response):
        page.take(event)
        if event["type"] == "user_input_request":
            break
    connection.close()
    with post(STREAM, {"session": session}, {"Last-Event-ID": last}) as stream:
        for _, event in events(stream):
            page.take(event)
    assert page.seen == whole, f"{page.seen} instead of {whole}"

    # Without the header it is told from the beginning.
    with post(STREAM, {"session": session}) as stream:
        again = [event["type"] for _, event in events(stream)]
    assert again == [kind.split()[0].replace("decide", "progress") for kind in whole], again


def main():
    looks_asks_and_concludes()
    asks_while_it_plans()
    goes_on_with_its_plan_after_a_reply()
    decides_to_look_further()
    is_asked_again()
    adjusts_its_plan()
    shows_steps_that_fail()
    ends_without_a_result()
    is_taken_up_where_it_was_lost()
    refused(400, STREAM, {"original_input": " "})
    refused(400, STREAM, {"original_input": "x", "depth": 3}, "depth")
    refused(404, REPLY, {"request_id": "x", "reply": "1.2"})
    refused(400, REPLY, {"request_id": "x"})
    refused(400, REPLY, {"request_id": "x", "reply": "1.2", "by": "zhang"}, "by")
    print("played")


main()
