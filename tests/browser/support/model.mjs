// A model that a test holds in its hand: an OpenAI-compatible server whose every answer is written piece by piece by the
// test, so that "in mid-sentence" is a fact and not a matter of timing.
import { createServer } from "node:http";
import { once } from "node:events";
import { within } from "./timeouts.mjs";

/** Starts the model on a free port. */
export async function startModel() {
  const turns = [];
  const wanted = [];
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "by-hand", object: "model" }] }));
      return;
    }
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const turn = new Turn(JSON.parse(body), request, response);
      const waiting = wanted.shift();
      if (waiting) waiting(turn);
      else turns.push(turn);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    /** The next request, as soon as it comes. */
    async turn() {
      if (turns.length > 0) return turns.shift();
      let waiting;
      const coming = new Promise((done) => wanted.push((waiting = done)));
      try {
        return await within("request to the model", coming);
      } catch (late) {
        // Whoever gave up takes no request from the next one who asks.
        if (wanted.includes(waiting)) wanted.splice(wanted.indexOf(waiting), 1);
        throw late;
      }
    },
    /** Nobody waits for a request any more: the next one goes to whoever asks next. */
    forget: () => void wanted.splice(0),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** One request to the model and its answer. */
class Turn {
  #closed;

  constructor(question, request, response) {
    this.question = question;
    this.response = response;
    this.#closed = new Promise((done) => response.on("close", () => done(!response.writableFinished)));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
  }

  /** The server has hung up: nobody pays for what nobody wants. */
  get dropped() {
    return within("end of the connection", this.#closed);
  }

  /** Everything that the model was sent, as one text. */
  get asked() {
    return this.question.messages.map((message) => JSON.stringify(message.content)).join("\n");
  }

  /** Writes some more of the answer. */
  write(text) {
    this.#chunk({
      choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }],
    });
    return this;
  }

  /** Writes the rest and ends in good order, or for the reason that is given. */
  end(text = "", reason = "stop") {
    if (text) this.write(text);
    this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    this.#chunk({ choices: [], usage: { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200 } });
    this.response.end("data: [DONE]\n\n");
    return this;
  }

  #chunk(fields) {
    const chunk = { id: "x", object: "chat.completion.chunk", created: 0, model: "by-hand", ...fields };
    this.response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}
