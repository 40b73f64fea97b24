// The real server, in its own process and its own folder.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const binary =
  process.env.ROUNDTABLE_BIN ?? new URL("../../../target/debug/roundtable", import.meta.url).pathname;

/** Maximum time for a start on a busy machine, in milliseconds. */
const START_WITHIN = 60_000;

/**
 * Starts a server. With a `model`, its agents use that one, otherwise the built-in demo model; `settings` are further
 * settings, as `name: value`, and `config` makes additional configuration for the server's folder.
 */
export async function startServer({ model, settings = {}, config = () => "" } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "roundtable-browser-"));
  await writeFile(join(folder, "roundtable.toml"), (model ? configOf(model) : "") + config(folder));
  const server = new Server(folder, settings, !model);
  await server.start("127.0.0.1:0");
  return server;
}

function configOf(model) {
  return [
    "[providers]",
    'default = "hand/by-hand"',
    // The test answers every request, so the server must send no others.
    "titles = false",
    "[providers.named.hand]",
    `base_url = "${model.url}"`,
    "[[providers.named.hand.models]]",
    'name = "by-hand"',
    "prices = { input = 1000.0, output = 3000.0 }",
    "",
  ].join("\n");
}

class Server {
  #child;
  #settings;
  #demo;

  constructor(folder, settings, demo) {
    this.folder = folder;
    this.#settings = settings;
    this.#demo = demo;
  }

  async start(listen) {
    const environment = this.#environment();
    if (this.#demo) environment.ROUNDTABLE_ONLY_DEMO_MODEL = "true";
    const sets = Object.entries(this.#settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
    this.#child = spawn(binary, ["serve", "--listen", listen, ...sets], {
      cwd: this.folder,
      env: environment,
    });
    const log = [];
    this.#child.stderr.on("data", (piece) => log.push(piece));
    const ended = once(this.#child, "exit").then(() => {
      throw new Error(`the server ended:\n${Buffer.concat(log)}`);
    });
    // Once the server runs, nobody waits for this promise.
    ended.catch(() => undefined);
    const { address, link } = await Promise.race([ended, greeting(this.#child.stdout), tooLong(log)]);
    this.url = address;
    this.address = new URL(address).host;
    this.link = link;
  }

  #environment() {
    return {
      PATH: process.env.PATH,
      HOME: this.folder,
      ROUNDTABLE_DATA_DIR: join(this.folder, "data"),
    };
  }

  /** A token for a new member, or for a bot. */
  async token(name, ...options) {
    const how = { cwd: this.folder, env: this.#environment() };
    const made = await promisify(execFile)(binary, ["token", "create", "--name", name, ...options], how);
    return made.stdout.trim();
  }

  /** Kills the server without a graceful stop. */
  async kill() {
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }

  /** Restarts the server at the same address. */
  async restart() {
    await this.start(this.address);
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      const hard = setTimeout(() => this.#child.kill("SIGKILL"), 10_000);
      await gone;
      clearTimeout(hard);
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function greeting(output) {
  let address, link;
  for await (const line of createInterface({ input: output })) {
    const found = /https?:\/\/\S+/.exec(line)?.[0];
    // There is no link once an administrator has signed in.
    if (found?.includes("/sign-in#")) link = found;
    else address ??= found;
    if (line.startsWith("Answers come from")) return { address, link };
  }
  throw new Error("the server did not say what it is");
}

function tooLong(log) {
  return new Promise((_, no) => {
    const timer = setTimeout(() => no(new Error(`no greeting:\n${Buffer.concat(log)}`)), START_WITHIN);
    timer.unref();
  });
}
