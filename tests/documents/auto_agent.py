"""Plays the document of the door `auto_agent` against a server, as a front end that knows nothing but the document.

Usage: auto_agent.py http://127.0.0.1:8080 faulty=http://… silent=http://…

The model of `faulty` refuses every request, that of `silent` never says a word. Heartbeats come every second.
"""

import base64
import http.client
import json
import struct
import sys
import urllib.error
import urllib.request
import zlib
from urllib.parse import urlsplit

SERVER = sys.argv[1].rstrip("/")
OTHERS = dict(argument.split("=", 1) for argument in sys.argv[2:])
KINDS = {"plan", "tool_thought", "tool_result", "task", "task_summary", "agent_stream", "result", "heartbeat"}


def request(body, last=None, server=SERVER):
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if last:
        headers["Last-Event-ID"] = last
    data = json.dumps(body).encode()
    return urllib.request.Request(f"{server}/AutoAgent", data=data, headers=headers)


def events(response):
    """The events of a stream: for each the last id that came, and its line."""
    last, data = None, None
    for line in response:
        line = line.decode().rstrip("\n")
        if line.startswith("id: "):
            last = line[4:]
        elif line.startswith("data: "):
            data = json.loads(line[6:])
        elif not line and data is not None:
            yield last, data
            data = None


def check(line, body):
    """What every line has: what the backend of the document sends, and what its page reads."""
    assert line["responseType"] in KINDS, line
    assert line["requestId"] == body.get("requestId", body.get("traceId", "")), line
    assert line["packageType"] == ("heartbeat" if line["responseType"] == "heartbeat" else "result")
    assert isinstance(line["resultMap"]["agentType"], int) and line["resultMap"]["eventData"]
    assert line["finished"] == (line["responseType"] == "result"), line
    assert line["status"] == ("failed" if "errorMsg" in line else "success"), line


def send(body, last=None, status="success", server=SERVER):
    """One request: the id of its session and the lines of the answer but for heartbeats, which come when they come."""
    with urllib.request.urlopen(request(body, last, server), timeout=60) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        session = response.headers["X-Session-ID"]
        lines = [line for _, line in events(response)]
    for line in lines:
        check(line, body)
    lines = [line for line in lines if line["responseType"] != "heartbeat"]
    assert lines[-1]["responseType"] == "result" and lines[-1]["status"] == status, lines[-1]
    return session, lines


def of(lines, kind):
    return [line for line in lines if line["responseType"] == kind and line["isFinal"]]


def refused(status, body, word):
    try:
        urllib.request.urlopen(request(body), timeout=60)
    except urllib.error.HTTPError as error:
        assert error.code == status, f"{body}: {error.code} instead of {status}"
        detail = json.load(error)["detail"]
        assert word in detail, f"{word} is not named in: {detail}"
        return
    raise AssertionError(f"{body} was not refused")


def picture():
    """A PNG of one pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    png = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
    return base64.b64encode(png).decode()


def react():
    # The class of users: `deepThink` 0 is agent type 5.
    body = {"traceId": "t-1", "user": "zhang", "query": "天空为什么是蓝色的？", "deepThink": 0}
    session, lines = send(body)
    assert all(line["resultMap"]["agentType"] == 5 for line in lines)
    pieces = "".join(line["result"] for line in lines if line["responseType"] == "agent_stream" and not line["isFinal"])
    assert pieces and pieces == of(lines, "agent_stream")[-1]["result"], "what comes in pieces is the whole"
    assert lines[-1]["resultMap"]["taskSummary"] == pieces

    # Memory over requests, which the document misses in its own server.
    again, lines = send({"traceId": "t-2", "query": "日落时为什么是红色的？", "deepThink": 0, "sessionId": session})
    assert again == session and lines[-1]["resultMap"]["taskSummary"]

    # Ten rounds in one session, each of them answered.
    for number in range(1, 11):
        again, lines = send({"traceId": f"t-2-{number}", "query": f"第 {number} 个问题：彩虹是怎么来的？", "sessionId": session})
        assert again == session and lines[-1]["resultMap"]["taskSummary"], lines[-1]

    # Not in pieces.
    _, lines = send({"requestId": "r-1", "erp": "zhang", "query": "你好", "agentType": 5, "isStream": False})
    assert all(line["isFinal"] for line in lines)


def tools():
    # Think and act in turns; every call with what it was made with and what it brought.
    code = json.dumps({"title": "销售报告", "markdown": "稳定。"}, ensure_ascii=False)
    _, lines = send({"requestId": "r-2", "query": f"写一份报告\n/tool report {code}", "agentType": 5})
    made = of(lines, "tool_result")[0]["resultMap"]
    assert made["toolName"] == "report" and made["toolParam"]["title"] == "销售报告" and made["toolResult"]
    files = lines[-1]["resultMap"]["fileList"]
    assert files and {*files[0]} == {"downloadUrl", "fileId", "fileName", "fileSize", "fileType"}, files
    for file in files:
        with urllib.request.urlopen(SERVER + file["downloadUrl"], timeout=60) as response:
            assert len(response.read()) == file["fileSize"]


def tools_that_fail():
    # Their agent goes on: only the call has failed.
    query = "试试这两个工具\n/tool report {}\n/tool telescope {}"
    _, lines = send({"requestId": "r-7", "query": query, "agentType": 5})
    failed = of(lines, "tool_result")
    assert [line["resultMap"]["toolName"] for line in failed] == ["report", "telescope"], failed
    for line in failed:
        assert line["status"] == "failed" and is_chinese(line["errorMsg"]), line
        assert is_chinese(line["resultMap"]["toolResult"]), line
    assert lines[-1]["resultMap"]["fileList"] == [] and lines[-1]["resultMap"]["taskSummary"]


def runs_that_fail():
    _, lines = send({"requestId": "r-8", "query": "你好", "agentType": 5}, status="failed", server=OTHERS["faulty"])
    assert is_chinese(lines[-1]["errorMsg"]) and lines[-1]["finished"], lines[-1]


def is_chinese(text):
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def heartbeats():
    # While nothing else is said the stream shows that it is alive.
    body = {"requestId": "r-9", "query": "你好", "agentType": 5}
    with urllib.request.urlopen(request(body, server=OTHERS["silent"]), timeout=60) as response:
        lines = events(response)
        for line in (next(lines)[1], next(lines)[1]):
            check(line, body)
            assert line["responseType"] == "heartbeat" and not line["isFinal"], line


def files():
    # Files go first, and are named in the request that they are for.
    upload = urllib.request.Request(f"{SERVER}/api/v1/uploads?name=notes.md", data="第一季度持平。".encode())
    with urllib.request.urlopen(upload, timeout=60) as response:
        file = json.load(response)["file_id"]
    session, _ = send({"requestId": "r-10", "query": "总结这份文件", "agentType": 5, "fileIds": [file]})
    with urllib.request.urlopen(f"{SERVER}/AutoAgent/files/{session}/notes.md", timeout=60) as response:
        assert response.read().decode() == "第一季度持平。"
    refused(404, {"query": "x", "fileIds": ["f_1"]}, "f_1")


def questions():
    # What an agent asks is something that it says; the next request in the session is the answer.
    ask = {"requestId": "r-11", "query": '记账\n/tool ask_people {"question": "哪种货币？"}', "agentType": 5}
    with urllib.request.urlopen(request(ask), timeout=60) as response:
        session, lines = response.headers["X-Session-ID"], events(response)
        asked = next(line for _, line in lines if line["content"] == "哪种货币？")
        assert asked["responseType"] == "agent_stream" and asked["isFinal"], asked
        _, rest = send({"requestId": "r-12", "query": "人民币", "sessionId": session})
        assert "人民币" in rest[-1]["resultMap"]["taskSummary"], rest[-1]
        assert [line for _, line in lines][-1]["finished"], "the stream that asked ends with the run"
    refused(400, {"query": "x", "sessionId": session, "agentType": 3}, "agentType")
    refused(400, {"query": "x", "sessionId": session, "deepThink": 1}, "deepThink")
    refused(400, {"query": "x", "sessionId": session, "agentType": 6}, "agentType")


def streams():
    # What a program writes comes while it runs.
    code = json.dumps({"code": "import time\nprint('half', flush=True)\ntime.sleep(2)\nprint('whole')"})
    _, lines = send({"requestId": "r-6", "query": f"运行\n/tool python {code}", "agentType": 5})
    results = [line for line in lines if line["responseType"] == "tool_result"]
    assert [line["isFinal"] for line in results] == [False] * (len(results) - 1) + [True], results
    assert any(line["resultMap"]["toolResult"] == "half\n" for line in results[:-1]), results
    assert results[-1]["resultMap"]["toolResult"] == "half\nwhole\n"


def plan_solve():
    # `deepThink` other than 0 is agent type 3: plan, execute, sum up; parts of a step side by side.
    report = json.dumps({"title": "数据", "markdown": "三种方案的数据。"}, ensure_ascii=False)
    query = f"比较三种会话存储方案\n/tool report {report}"
    body = {"requestId": "r-3", "query": query, "deepThink": 1, "sopPrompt": "先收集事实，再比较，最后给出建议。"}
    _, lines = send(body)
    assert all(line["resultMap"]["agentType"] == 3 for line in lines)
    plans = [line["resultMap"] for line in of(lines, "plan")]
    assert all(len(plan["steps"]) == len(plan["stepStatus"]) == len(plan["notes"]) for plan in plans)
    states = {"not_started", "in_progress", "completed", "blocked"}
    assert all(set(plan["stepStatus"]) <= states for plan in plans)
    assert set(plans[-1]["stepStatus"]) == {"completed"}, plans[-1]
    steps = [part.strip() for step in plans[-1]["steps"] for part in step.split("<sep>")]
    assert [line["content"] for line in of(lines, "task")] == steps
    summaries = [line["resultMap"] for line in of(lines, "task_summary")]
    assert len(summaries) == len(steps) and all(summary["taskSummary"] for summary in summaries)
    assert of(lines, "tool_thought") and lines[-1]["resultMap"]["taskSummary"]
    # Each task has the files that were made for it, here the first one alone; the result has them all.
    named = lambda files: {file["fileName"] for file in files}
    first, *others = [named(summary["fileList"]) for summary in summaries]
    assert first and not any(others), summaries
    assert first <= named(lines[-1]["resultMap"]["fileList"]), lines[-1]


def kinds():
    for number in range(1, 6):
        _, lines = send({"requestId": f"k-{number}", "query": "比较两种缓存策略", "agentType": number})
        assert lines[-1]["resultMap"]["taskSummary"], number


def history():
    _, lines = send({
        "requestId": "r-4",
        "query": "我叫什么名字？",
        "agentType": 5,
        "basePrompt": "回答要简短。",
        "messages": [
            {"role": "user", "content": "我叫小李。"},
            {"role": "user", "content": "这是我的头像。", "base64Image": picture()},
            {"role": "assistant", "content": "你好，小李。"},
            {"role": "tool", "content": "42", "toolCallId": "call_1"},
        ],
        "base64Image": picture(),
        "sopPrompt": None,
    })
    assert lines[-1]["finished"]


def taken_up():
    """A stream that is lost is taken up where its reader was, by the same request."""
    body = {"requestId": "r-5", "query": "比较三种消息队列", "deepThink": 1}
    _, whole = send(body)
    place = urlsplit(SERVER)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
    connection.request("POST", "/AutoAgent", json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    session = response.headers["X-Session-ID"]
    first, last = [], None
    for last, line in events(response):
        if line["responseType"] != "heartbeat":
            first.append(line)
        if line["responseType"] == "task_summary":
            break
    connection.close()
    again, rest = send(body, last)
    assert again == session, "no second run was begun"
    finals = lambda lines: [(line["responseType"], line["isFinal"]) for line in lines if line["isFinal"]]
    kept = sorted(finals(first + rest))
    assert kept == sorted(finals(whole)), f"{kept} instead of {sorted(finals(whole))}"
    messages = [(line["responseType"], line["messageId"]) for line in first + rest if line["isFinal"]]
    assert len(messages) == len(set(messages)), "nothing whole comes twice"


def main():
    react()
    tools()
    tools_that_fail()
    runs_that_fail()
    heartbeats()
    files()
    questions()
    streams()
    plan_solve()
    kinds()
    history()
    taken_up()
    refused(400, {"query": " "}, "query")
    refused(400, {"query": "x", "agentType": 6}, "agentType")
    refused(400, {"query": "x", "outputStyle": "html"}, "outputStyle")
    refused(400, {"query": "x", "deepThink": 0, "sopPrompt": "x"}, "sopPrompt")
    refused(400, {"query": "x", "base64Image": "aGVsbG8="}, "base64Image")
    refused(400, {"query": "x", "messages": [{"role": "user", "content": " "}]}, "messages[0]")
    refused(400, {"query": "x", "messages": [{"role": "user", "base64Image": "aGVsbG8="}]}, "messages[0].base64Image")
    print("played")


main()
