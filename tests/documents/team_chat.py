"""Plays the document of the door `team_chat` against a server, as a front end that knows nothing but the document.

Usage: team_chat.py http://127.0.0.1:8080 faulty=http://… crowded=http://…

The first request to the model of `faulty`'s optimizer fails. The team of `crowded` has so many generators that the reviewer's
would be message 21.
"""

import json
import sys
import urllib.error
import urllib.request

SERVER = sys.argv[1]
OTHERS = dict(argument.split("=", 1) for argument in sys.argv[2:])
GENERATOR, REVIEWER, OPTIMIZER = "TestCase_Generator", "TestCase_Reviewer", "TestCase_Optimizer"
ROUND = [GENERATOR, REVIEWER]


def send(message, conversation=None, target=None, server=SERVER):
    """One request; the conversation's id and the events of the answer, up to `done`."""
    body = {
        "message": message,
        "is_feedback": conversation is not None,
        "conversation_id": conversation,
        "target_agent": target,
    }
    request = urllib.request.Request(
        f"{server}/api/team-chat/stream",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.headers["X-Team-Mode"] == "true"
        events = [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]
        return response.headers["X-Conversation-ID"], events


def refused(status, **request):
    try:
        send(**request)
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{request}: {error.code} instead of {status}"
        assert json.load(error)["detail"], "a reason in words"
        return
    raise AssertionError(f"{request} was not refused")


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
        assert last["available_agents"] == [GENERATOR, REVIEWER, OPTIMIZER] and last["message"]
    else:
        assert last["agent_name"] == OPTIMIZER and last["content"].strip()


def debug(conversation):
    with urllib.request.urlopen(f"{SERVER}/api/debug/session/{conversation}", timeout=60) as response:
        return json.load(response)


def fails():
    server = OTHERS["faulty"]
    conversation, events = send("生成登录接口的测试用例", server=server)
    check(events, ROUND, "feedback_request")
    _, events = send("同意", conversation, server=server)
    assert [event["type"] for event in events][-2:] == ["error", "done"] and events[-2]["message"], events


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
    ]
    for words in feedback:
        same, events = send(words, conversation)
        assert same == conversation
        check(events, ROUND, "feedback_request")

    # One agent alone, by a mention or by the field; then people are asked again.
    for words, target, agent in [
        (f"@{GENERATOR} 请添加性能测试", None, GENERATOR),
        ("请更严格地评审", REVIEWER, REVIEWER),
        (f"@{REVIEWER} 再看一遍", REVIEWER, REVIEWER),
    ]:
        _, events = send(words, conversation, target)
        check(events, [agent], "feedback_request")

    # What plainly approves leads to the final answer, and then nobody is asked any more.
    approvals = ["同意", "", "APPROVE", "Please approve", "同意吧", "我们组都同意", "基本同意", "我同意以上方案"]
    for words in approvals:
        conversation, _ = send("生成登录接口的测试用例")
        _, events = send(words, conversation)
        check(events, [OPTIMIZER], "final_answer")
    assert debug(conversation)["waiting_for_feedback"] is False
    refused(400, message="还有一点", conversation=conversation)

    # The optimizer, asked by name, gives the final answer, too.
    conversation, _ = send("生成退款接口的测试用例")
    _, events = send(f"@{OPTIMIZER} 请给出最终版本", conversation)
    check(events, [OPTIMIZER], "final_answer")

    # What the document refuses.
    refused(400, message="")
    refused(404, message="同意", conversation="team_session_a1b2c3d4e5f6g7h8")
    fails()
    too_many_messages()
    print("played")


main()
