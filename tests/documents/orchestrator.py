"""Plays the document of the door `orchestrator` against a server, as a program that knows nothing but the document.

Usage: orchestrator.py http://127.0.0.1:8080 faulty=http://… slow=http://… token=…

The model of `faulty`'s agent `requirement` fails for good, that of `slow`'s agent `testcase` takes half a second. `token` is of
somebody who may read knowledge bases 1 and 2.
"""

import json
import sys
import time
import urllib.error
import urllib.request

SERVER = sys.argv[1]
OTHERS = dict(argument.split("=", 1) for argument in sys.argv[2:])
TASKS = "/api/orchestrator/tasks/"
STATES = {"pending", "planning", "waiting_confirmation", "executing", "completed", "failed", "cancelled"}
REQUIREMENT = "创建用户登录功能的测试用例"


class Caller:
    """Who asks which server."""

    def __init__(self, server, token=None):
        self.server = server
        self.headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})

    def send(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data=data, headers=self.headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
        assert answer["status"] in STATES, answer
        return answer

    def create(self, requirement=REQUIREMENT, bases=()):
        task = self.send(TASKS, {"requirement": requirement, "knowledge_base_ids": list(bases)})
        assert task["requirement"] == requirement and task["status"] in ("planning", "waiting_confirmation"), task
        return f"{TASKS}{task['id']}/"

    def until(self, path, status, is_new=lambda answer: True):
        """The answer of `path` as soon as the task stands there: the document has its page ask again and again."""
        for _ in range(600):
            answer = self.send(path)
            if answer["status"] == status and is_new(answer):
                return answer
            time.sleep(0.1)
        raise AssertionError(f"{path} stays {answer}")

    def carried_out(self, requirement, steps=None):
        """A task whose plan is confirmed, cut to so many steps; it and its history when it is completed."""
        task = self.create(requirement)
        plan = self.until(f"{task}plan/", "waiting_confirmation")["execution_plan"]
        edit = {} if steps is None else {"execution_plan": {**plan, "steps": plan["steps"][:steps]}}
        self.send(f"{task}confirm/", {"approved": True, **edit})
        done = self.until(task, "completed")
        return done, done["execution_history"]


GUEST = Caller(SERVER)
send, create, until = GUEST.send, GUEST.create, GUEST.until


def refused(status, path, body=None, word=""):
    try:
        send(path, body)
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{path} {body}: {error.code} instead of {status}"
        detail = json.load(error)["detail"]
        assert detail and word in detail, f"{word} is not named in: {detail}"
        return
    raise AssertionError(f"{path} {body} was not refused")


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
    refused(409, f"{task}confirm/", {"approved": True})


def adjusted():
    # Ten rounds: each time there is a new plan, and nothing is carried out.
    task = create()
    second = until(f"{task}plan/", "waiting_confirmation")
    for number in range(1, 11):
        first = second
        said = send(f"{task}confirm/", {"approved": False, "user_notes": f"请增加安全测试 {number}"})
        assert said["status"] in ("planning", "waiting_confirmation"), said
        second = until(f"{task}plan/", "waiting_confirmation", lambda plan: plan["revision"] > first["revision"])
        check_plan(second["execution_plan"])
    assert send(task)["execution_history"] == []
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


def with_bases():
    # The document's own example: its bases 1 and 2 are searched, and what they say stands in the answer.
    ann = Caller(SERVER, OTHERS["token"])
    task = ann.create(bases=[1, 2])
    steps = check_plan(ann.until(f"{task}plan/", "waiting_confirmation")["execution_plan"])
    assert [step["agent"] for step in steps] == ["requirement", "knowledge", "testcase"], steps
    assert ann.send(f"{task}confirm/", {"approved": True, "user_notes": "同意执行"})["status"] == "executing"
    done = ann.until(task, "completed")
    assert "空密码曾被当作正确的密码" in done["knowledge_docs"] and "账户锁定三十分钟" in done["knowledge_docs"], done
    # Whose it is not does not see it.
    refused(404, task)


def waits_for_agents():
    slow = Caller(OTHERS["slow"])
    task = slow.create()
    slow.until(f"{task}plan/", "waiting_confirmation")
    slow.send(f"{task}confirm/", {"approved": True})
    seen = set()
    while (now := slow.send(task))["status"] == "executing":
        assert now["waiting_for"] == "agent_result", now
        seen |= {(line["agent"], line["status"]) for line in slow.send(f"{task}progress/")["execution_history"]}
        time.sleep(0.02)
    assert ("testcase", "executing") in seen and slow.send(task)["waiting_for"] == "", seen


def decisions():
    states = lambda lines: [(line["step"], line["agent"], line["status"]) for line in lines]
    requirement, knowledge, testcase = ((at, agent, "completed") for at, agent in enumerate(["requirement", "knowledge", "testcase"], 1))
    _, lines = GUEST.carried_out("创建登录功能的测试用例，第一步请重试一次")
    assert states(lines) == [requirement, requirement, knowledge, testcase], lines
    assert "重试" in lines[0]["brain_decision"] and "继续" in lines[1]["brain_decision"], lines
    _, lines = GUEST.carried_out("创建登录功能的测试用例，跳过资料检索")
    assert states(lines) == [requirement, testcase] and "跳过" in lines[0]["brain_decision"], lines
    _, lines = GUEST.carried_out("创建登录功能的测试用例，可以提前结束")
    assert states(lines) == [requirement] and "结束" in lines[0]["brain_decision"], lines
    # After the last step, `next_agent` with an `instruction` is one step more; the task has what both have brought.
    done, lines = GUEST.carried_out("创建登录功能的测试用例，最后再加一步")
    assert states(lines) == [requirement, knowledge, testcase, (4, "testcase", "completed")], lines
    assert lines[3]["action"] and len(done["testcases"]) == 2 and done["current_step"] == 4, done


def fails():
    faulty = Caller(OTHERS["faulty"])
    # A step fails; the brain decides, and the task goes on.
    done, lines = faulty.carried_out(REQUIREMENT)
    assert [line["status"] for line in lines] == ["failed", "completed", "completed"], lines
    assert "模型服务" in lines[0]["result"] and lines[0]["brain_decision"], lines[0]
    assert done["requirement_analysis"] is None and done["testcases"], done
    # No step could be done: the task has failed.
    task = faulty.create()
    plan = faulty.until(f"{task}plan/", "waiting_confirmation")["execution_plan"]
    edit = {**plan, "steps": plan["steps"][:1]}
    faulty.send(f"{task}confirm/", {"approved": True, "execution_plan": edit})
    failed = faulty.until(task, "failed")
    assert failed["error"]["message"] == "所有步骤都未能完成" and failed["waiting_for"] == "", failed
    assert faulty.send(f"{task}progress/")["status"] == faulty.send(f"{task}plan/")["status"] == "failed"


def main():
    confirmed_and_carried_out()
    adjusted()
    cancelled()
    with_bases()
    waits_for_agents()
    decisions()
    fails()
    refused(400, TASKS, {"requirement": " "}, "requirement")
    refused(400, TASKS, {"requirement": REQUIREMENT, "priority": 1}, "priority")
    # Of somebody who may not read them: the answer says where bases are made.
    refused(404, TASKS, {"requirement": REQUIREMENT, "knowledge_base_ids": [1, 2]}, "/api/v1/knowledge")
    refused(404, f"{TASKS}1/plan/")
    refused(404, f"{TASKS}1/")
    print("played")


main()
