"""Plays the document of the door `orchestrator` against a server, as a program that knows nothing but the document.

Usage: orchestrator.py http://127.0.0.1:8080
"""

import json
import sys
import time
import urllib.error
import urllib.request

SERVER = sys.argv[1].rstrip("/")
TASKS = "/api/orchestrator/tasks/"
STATES = {"pending", "planning", "waiting_confirmation", "executing", "completed", "failed", "cancelled"}
REQUIREMENT = "创建用户登录功能的测试用例"


def send(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = json.load(response)
    assert answer["status"] in STATES, answer
    return answer


def refused(status, path, body=None, word=""):
    try:
        send(path, body)
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{path} {body}: {error.code} instead of {status}"
        detail = json.load(error)["detail"]
        assert detail and word in detail, f"{word} is not named in: {detail}"
        return
    raise AssertionError(f"{path} {body} was not refused")


def create(requirement=REQUIREMENT):
    task = send(TASKS, {"requirement": requirement, "knowledge_base_ids": []})
    assert task["requirement"] == requirement and task["status"] in ("planning", "waiting_confirmation"), task
    return f"{TASKS}{task['id']}/"


def until(path, status, is_new=lambda answer: True):
    """The answer of `path` as soon as the task stands there: the document has its page ask again and again."""
    for _ in range(600):
        answer = send(path)
        if answer["status"] == status and is_new(answer):
            return answer
        time.sleep(0.1)
    raise AssertionError(f"{path} stays {answer}")


def check_plan(plan):
    assert isinstance(plan["estimated_time"], str) and isinstance(plan["risks"], list), plan
    assert plan["steps"] and all(step["agent"] and step["action"] for step in plan["steps"]), plan
    assert {step["agent"] for step in plan["steps"]} <= {"requirement", "knowledge", "testcase"}
    return plan["steps"]


def confirmed_and_carried_out():
    task = create()
    planned = until(f"{task}plan/", "waiting_confirmation")
    steps = check_plan(planned["execution_plan"])
    waiting = send(task)
    assert waiting["waiting_for"] == "user_confirmation" and waiting["current_step"] == 0, waiting
    confirmed = send(f"{task}confirm/", {"approved": True, "user_notes": "同意执行"})
    assert confirmed == {"status": "executing", "message": "任务已开始执行"}, confirmed

    # While it runs, what is done says how, and what is not says what it is at.
    while (progress := send(f"{task}progress/"))["status"] == "executing":
        assert 0 <= progress["current_step"] <= progress["total_steps"] == len(steps), progress
        for line in progress["execution_history"]:
            assert line["agent"] and (line["status"] != "executing" or line["progress"]), line
        time.sleep(0.02)
    assert progress["status"] == "completed" and progress["current_step"] == len(steps), progress
    for number, (line, step) in enumerate(zip(progress["execution_history"], steps, strict=True), 1):
        assert (line["step"], line["agent"], line["action"]) == (number, step["agent"], step["action"]), line
        assert line["status"] == "completed" and line["result"] and line["brain_decision"] and line["timestamp"], line

    done = send(task)
    assert done["execution_history"] == progress["execution_history"]
    assert all(done[field] for field in ("requirement_analysis", "knowledge_docs", "testcases")), done
    refused(400, f"{task}confirm/", {"approved": True})


def adjusted():
    task = create()
    first = until(f"{task}plan/", "waiting_confirmation")
    send(f"{task}confirm/", {"approved": False, "user_notes": "请增加安全测试"})
    second = until(f"{task}plan/", "waiting_confirmation", lambda plan: plan["revision"] > first["revision"])
    # Nobody confirms a plan that they have not seen.
    refused(409, f"{task}confirm/", {"approved": True, "revision": first["revision"]})
    plan = {**second["execution_plan"], "steps": [{"agent": "testcase", "action": "只写一份摘要", "reason": ""}]}
    send(f"{task}confirm/", {"approved": True, "revision": second["revision"], "execution_plan": plan})
    done = until(task, "completed")
    assert [line["action"] for line in done["execution_history"]] == ["只写一份摘要"], done


def cancelled():
    task = create()
    until(f"{task}plan/", "waiting_confirmation")
    assert send(f"{task}confirm/", {"approved": False})["status"] == "cancelled"
    assert send(task)["status"] == "cancelled"


def main():
    confirmed_and_carried_out()
    adjusted()
    cancelled()
    refused(400, TASKS, {"requirement": " "}, "requirement")
    # The document's own example, on a server that has no knowledge base yet: the answer says where to make one.
    refused(404, TASKS, {"requirement": REQUIREMENT, "knowledge_base_ids": [1, 2]}, "/api/v1/knowledge")
    refused(404, f"{TASKS}1/plan/")
    refused(404, f"{TASKS}1/")
    print("played")


main()
