// The OpenID provider of tests/oidc, in its own process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const script = new URL("../../oidc/provider.mjs", import.meta.url).pathname;

/** Starts a provider; it ends with `stop`, or with this process. */
export async function startProvider() {
  const child = spawn("node", [script], { stdio: ["pipe", "pipe", "ignore"] });
  const [issuer] = await once(createInterface({ input: child.stdout }), "line");
  const put = (path, body) => fetch(`${issuer}/control/${path}`, { method: "PUT", body });
  return {
    issuer,
    /** Settings of a server whose people sign in here. */
    config: (label) =>
      [
        "[oidc]",
        `issuer = "${issuer}"`,
        'client_id = "roundtable"',
        'client_secret = "a secret with = and & in it"',
        `label = "${label}"`,
        "",
      ].join("\n"),
    setOrigin: (origin) => put("origin", origin),
    setAccount: (name, claims) => put(`accounts/${name}`, JSON.stringify(claims)),
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}
