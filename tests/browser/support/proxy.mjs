// A reverse proxy that authenticates people: it names them in a header, and overwrites that header from clients.
import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import { connect } from "node:net";

const HEADER = "x-forwarded-user";

/** Starts the proxy, which has no target yet. */
export async function startProxy() {
  let target;
  let person = null;
  const ends = new Set();
  const headersOf = ({ headers }) => {
    const { [HEADER]: _, ...others } = headers;
    return person === null ? others : { ...others, [HEADER]: person };
  };
  const server = createServer((request, response) => {
    const how = { ...target, method: request.method, path: request.url, headers: headersOf(request) };
    const onward = ask(how, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  // After the first request, sockets are passed through unchanged.
  server.on("upgrade", (request, here, head) => {
    const there = connect(target);
    const lines = Object.entries(headersOf(request)).map(([name, value]) => `${name}: ${value}\r\n`);
    there.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    there.write(head);
    for (const [from, to] of [
      [here, there],
      [there, here],
    ]) {
      ends.add(from);
      from.pipe(to);
      from.on("error", () => undefined);
      from.on("close", () => {
        ends.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    /** Settings of a server whose people sign in through it. */
    config: [
      `public_url = "${url}"`,
      "[identity.proxy]",
      `header = "${HEADER}"`,
      'from = ["127.0.0.1"]',
      "",
    ].join("\n"),
    /** Directs it to `host:port`. */
    lead(address) {
      const [host, port] = address.split(":");
      target = { host, port: Number(port) };
    },
    /** From now on, everybody who comes through is this person; with null, nobody is identified. */
    authenticate(name) {
      person = name;
    },
    close() {
      for (const end of ends) end.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
