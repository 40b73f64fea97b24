"""Plays the document of the door `team_chat` against a server, as a front end that knows nothing but the document.

Usage: team_chat.py http://127.0.0.1:8080 faulty=http://… slow=http://… crowded=http://… token=…

The first request to the model of `faulty`'s reviewer fails and is made again, the first to its optimizer's fails for good. The
generator of `slow` takes half a second. The team of `crowded` has so many generators that the reviewer's would be message 21.
`token` is a member's at the first server.
"""

import json
import sys
import time
from datetime import datetime
import urllib.error
import urllib.request

SERVER = sys.argv[1]
OTHERS = dict(argument.split("=", 1) for argument in sys.argv[2:])
GENERATOR, REVIEWER, OPTIMIZER = "TestCase_Generator", "TestCase_Reviewer", "TestCase_Optimizer"
ROUND = [GENERATOR, REVIEWER]


MEMBER = {"Authorization": f"Bearer {OTHERS['token']}"}


def request(message, conversation=None, target=None, files=None, server=SERVER, last=None, who=None):
    body = {
        "message": message,
        "file_ids": files,
        "is_feedback": conversation is not None,
        "conversation_id": conversation,
        "target_agent": target,
    }
    headers = {"Content-Type": "application/json"} | ({"Last-Event-ID": last} if last else {}) | (who or {})
    data = json.dumps(body).encode()
    return urllib.request.Request(f"{server}/api/team-chat/stream", data=data, headers=headers)


def events_of(response):
    return [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]


def send(message, conversation=None, **more):
    """One request; the conversation's id and the events of the answer, up to `done`."""
    with urllib.request.urlopen(request(message, conversation, **more), timeout=60) as response:
        assert response.headers["X-Team-Mode"] == "true"
        assert response.headers["Content-Type"].startswith("text/event-stream")
        assert response.headers["Cache-Control"] == "no-cache"
        return response.headers["X-Conversation-ID"], events_of(response)


def refused(status, detail, **body):
    try:
        send(**body)
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{body}: {error.code} instead of {status}"
        said = json.load(error)["detail"]
        assert said == detail, f"{said} instead of {detail}"
        return
    raise AssertionError(f"{body} was not refused")


def check(events, agents, end):
    """The events tell of these agents one after the other, and end as they should."""
    kinds = [event["type"] for event in events]
    assert kinds[0] == "status" and kinds[-1] == "done", kinds
    started = [event["agent_name"] for event in events if event["type"] == "agent_start"]
    ended = [event["agent_name"] for event in events if event["type"] == "agent_end"]
    assert started == ended == agents, f"{started} instead of {agents}"
    assert all(event["agent_role"] for event in events if event["type"] == "agent_start")
    for agent in agents:
        said = "".join(event["content"] for event in events if event["type"] == "content" and event["agent_name"] == agent)
        assert said.strip(), f"{agent} said nothing"
    assert kinds[-2] == end, kinds[-3:]
    last = events[-2]
    if end == "feedback_request":
        assert last["available_agents"] == [GENERATOR, REVIEWER, OPTIMIZER] and last["message"] == "请提供反馈或点击同意"
        assert last["agent_name"] == agents[-1], last
    else:
        assert last["agent_name"] == OPTIMIZER and last["content"].strip()


def debug(conversation, who=None):
    asked = urllib.request.Request(f"{SERVER}/api/debug/session/{conversation}", headers=who or {})
    with urllib.request.urlopen(asked, timeout=60) as response:
        state = json.load(response)
    assert state["session_id"] == conversation and state["message_count"] == len(state["messages"]), state
    for message in state["messages"]:
        assert message["role"] in ("user", GENERATOR, REVIEWER, OPTIMIZER), message
        assert len(message["content"]) <= 103 and datetime.fromisoformat(message["timestamp"]), message
    return state


def looked_into():
    conversation, events = send("生成支付接口的测试用例")
    said = lambda agent: "".join(event["content"] for event in events if event["type"] == "content" and event["agent_name"] == agent)
    state = debug(conversation)
    assert state["message_count"] == 3 and [message["role"] for message in state["messages"]] == ["user", *ROUND], state
    # A message of more than 100 characters is cut there, a short one is not.
    assert state["messages"][0]["content"] == "生成支付接口的测试用例"
    assert state["messages"][1]["content"] == said(GENERATOR)[:100] + "..."
    try:
        debug("team_session_a1b2c3d4e5f6g7h8")
    except urllib.error.HTTPError as error:
        assert error.code == 404 and json.load(error)["detail"] == "会话不存在"
    else:
        raise AssertionError("a session that is not there was shown")


def with_files():
    upload = urllib.request.Request(f"{SERVER}/api/v1/uploads?name=notes.md", data="支付分三步".encode())
    with urllib.request.urlopen(upload, timeout=60) as response:
        file = json.load(response)["file_id"]
    conversation, events = send("按文件生成支付接口的测试用例", files=[file])
    check(events, ROUND, "feedback_request")
    _, events = send("请再看一遍文件", conversation, files=[file])
    check(events, ROUND, "feedback_request")
    refused(400, "文件不存在: f1", message="按文件生成", files=["f1"])


def while_it_works():
    """Appendix D 2 and 3: nobody waits for feedback while agents work; a stream that broke off is read on."""
    slow = OTHERS["slow"]
    with urllib.request.urlopen(request("生成登录接口的测试用例", server=slow), timeout=60) as response:
        conversation = response.headers["X-Conversation-ID"]
        refused(400, "当前会话不在等待反馈状态", message="同意", conversation=conversation, server=slow)
        begun, last = [], None
        for line in response:
            last = line[4:].decode().strip() if line.startswith(b"id: ") else last
            begun += [json.loads(line[6:])] if line.startswith(b"data: ") else []
            if begun and begun[-1]["type"] == "agent_end" and line == b"\n":
                break
    with urllib.request.urlopen(request("生成登录接口的测试用例", server=slow, last=last), timeout=60) as response:
        assert response.headers["X-Conversation-ID"] == conversation, "nothing else is begun"
        rest = events_of(response)
    check([*begun, *rest[1:]], ROUND, "feedback_request")


def fails():
    server = OTHERS["faulty"]
    conversation, events = send("生成登录接口的测试用例", server=server)
    check(events, ROUND, "feedback_request")
    assert any(event["type"] == "status" and "重试" in event["message"] for event in events), "it is tried again"
    _, events = send("同意", conversation, server=server)
    assert [event["type"] for event in events][-2:] == ["error", "done"] and "模型服务" in events[-2]["message"], events
    # The conversation goes on.
    same, events = send("请再写一遍", conversation, server=server)
    assert same == conversation
    check(events, ROUND, "feedback_request")
    _, events = send("同意", conversation, server=server)
    check(events, [OPTIMIZER], "final_answer")


def expires():
    """Nobody answers in time: the run is over, nothing is approved by what comes too late, and the conversation goes on."""
    conversation, _ = send("生成支付接口的测试用例", who=MEMBER)
    # The document has no word for a deadline; somebody in the session sets one, for the gates from now on.
    session = conversation.replace("team_session_", "s_")
    limit = {"id": "c_limit", "do": "set", "data": {"settings": {"gate_seconds": 1}}}
    headers = {"Content-Type": "application/json", **MEMBER}
    data = json.dumps(limit).encode()
    urllib.request.urlopen(urllib.request.Request(f"{SERVER}/api/v1/sessions/{session}/commands", data, headers)).close()
    _, events = send("请添加边界测试", conversation, who=MEMBER)
    check(events, ROUND, "feedback_request")
    for _ in range(100):
        if not debug(conversation, MEMBER)["waiting_for_feedback"]:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("it waits for ever")
    same, events = send("同意", conversation, who=MEMBER)
    assert same == conversation
    check(events, ROUND, "feedback_request")


def too_many_messages():
    # Appendix D 4: a team that reaches 20 messages stops by itself, and the front end gets `done`.
    _, events = send("生成登录接口的测试用例", server=OTHERS["crowded"])
    spoke = [event["agent_name"] for event in events if event["type"] == "agent_end"]
    assert len(spoke) == 19 and REVIEWER not in spoke, "19 answers to one message"
    assert events[-1]["type"] == "done"
    assert any(event["type"] == "status" and "20" in event["message"] for event in events), "it says why"


def main():
    # First words: the generator, then the reviewer, then people are asked.
    conversation, events = send("生成支付接口的测试用例")
    check(events, ROUND, "feedback_request")
    state = debug(conversation)
    assert state["waiting_for_feedback"] is True and state["last_agent"] == REVIEWER

    # Ten rounds and more: words for the whole team, whatever they mention that is no agent of it.
    feedback = [
        "请添加边界测试",
        "@all 重新生成",
        "字段要标注 @NotNull",
        "每个用例用 @Test 注解",
        "@张三 说得对，请补充并发场景",
        "@TestCase_Foo 请再看一遍",
        "同意，但是请补充边界",
        "你们同意吗？",
        "不同意",
        "请补充用户同意隐私协议的用例",
        "I would approve it if you add boundary tests",
        "同意。不对，请重写",
        "Approve. No, wait",
        "approve, don't send it yet",
        "approve, never mind",
        "同意，先别发布",
        "同意，等测试通过",
        "同意，请补充边界测试",
        "同意，请精简",
    ]
    for words in feedback:
        same, events = send(words, conversation)
        assert same == conversation
        check(events, ROUND, "feedback_request")
        # A mention that is nobody's is reported.
        nobody = [name for name in ("@NotNull", "@Test", "@张三", "@TestCase_Foo") if f"{name} " in f"{words} "]
        told = [event["message"] for event in events[1:] if event["type"] == "status"]
        assert len(told) == len(nobody) and all(name in told[0] for name in nobody), f"{told} for {words}"

    # One agent alone, by a mention or by the field; then people are asked again.
    for words, target, agent in [
        (f"@{GENERATOR} 请添加性能测试", None, GENERATOR),
        ("请更严格地评审", REVIEWER, REVIEWER),
        (f"@{REVIEWER} 再看一遍", REVIEWER, REVIEWER),
    ]:
        _, events = send(words, conversation, target=target)
        check(events, [agent], "feedback_request")

    # What plainly approves leads to the final answer, and then nobody is asked any more.
    approvals = ["同意", "", "APPROVE", "Please approve", "同意吧", "我们组都同意", "基本同意", "我同意以上方案"]
    for words in approvals:
        conversation, _ = send("生成登录接口的测试用例")
        _, events = send(words, conversation)
        check(events, [OPTIMIZER], "final_answer")
    assert debug(conversation)["waiting_for_feedback"] is False
    refused(400, "当前会话不在等待反馈状态", message="还有一点", conversation=conversation)

    # The optimizer, asked by name, gives the final answer, too.
    conversation, _ = send("生成退款接口的测试用例")
    _, events = send(f"@{OPTIMIZER} 请给出最终版本", conversation)
    check(events, [OPTIMIZER], "final_answer")

    # What the document refuses.
    refused(400, "消息不能为空", message="")
    refused(404, "会话不存在", message="同意", conversation="team_session_a1b2c3d4e5f6g7h8")
    unknown = request("生成支付接口的测试用例")
    unknown.data = json.dumps({"message": "生成支付接口的测试用例", "target_agents": [GENERATOR]}).encode()
    try:
        urllib.request.urlopen(unknown, timeout=60)
    except urllib.error.HTTPError as error:
        assert error.code == 422 and "target_agents" in json.load(error)["detail"][0]["msg"]
    else:
        raise AssertionError("a field that nobody reads was accepted")
    looked_into()
    with_files()
    while_it_works()
    fails()
    expires()
    too_many_messages()
    print("played")


main()
