// A connection to the server that can go silent: connections stay open, but no data comes through.
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Opens the line, which has no target yet. */
export async function startLine() {
  let target;
  const ends = new Set();
  let silent = false;
  const carry = (from, to) => {
    ends.add(from);
    from.on("data", (bytes) => to.write(bytes));
    from.on("close", () => {
      ends.delete(from);
      to.destroy();
    });
    from.on("error", () => undefined);
    if (silent) from.pause();
  };
  const server = createServer((here) => {
    const there = connect(target);
    carry(here, there);
    carry(there, here);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${server.address().port}`,
    /** Directs it to `host:port`. */
    lead(address) {
      const [host, port] = address.split(":");
      target = { host, port: Number(port) };
    },
    /** From now on, no data comes through, not even over new connections. */
    silence() {
      silent = true;
      for (const end of ends) end.pause();
    },
    /** Data comes through again, including the data held back. */
    speak() {
      silent = false;
      for (const end of ends) end.resume();
    },
    close() {
      for (const end of ends) end.destroy();
      server.close();
    },
  };
}
