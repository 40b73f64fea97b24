// An OpenID provider for the tests of sign-in: `node provider.mjs`. It prints its issuer, and ends when its standard
// input does. Paths below /control change it:
//
// - PUT /control/origin: origin of the server whose people sign in
// - PUT /control/accounts/NAME: claims of the account with this name, which signs in without a password
// - POST /control/rotate: signs with a new key from now on
// - POST /control/conceal: signs with a new key from now on and publishes only the old ones
// - GET /control/counts: how often each path was requested

import { createServer } from "node:http";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import Provider from "oidc-provider";

// Standard output has only the issuer: whoever started this program reads no further.
console.info = console.warn;

let origin = "http://127.0.0.1";
const accounts = new Map();
const counts = {};
let keys = [];
let concealed = null;
let provider;

function newKey() {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
  return { ...key, kid: randomUUID(), alg: "ES256", use: "sig" };
}

function makeProvider(issuer) {
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: "roundtable",
        client_secret: "a secret with = and & in it",
        id_token_signed_response_alg: "ES256",
        redirect_uris: [`${origin}/api/v1/sign-in/oidc/callback`],
        post_logout_redirect_uris: [`${origin}/sign-in`],
      },
    ],
    jwks: { keys },
    cookies: { keys: ["test"] },
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username"],
      email: ["email", "email_verified"],
      groups: ["groups"],
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
    },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
    // Everybody consents.
    loadExistingGrant: async (ctx) => {
      const { client, session, params } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(params.scope);
      await grant.save();
      return grant;
    },
    renderError: (ctx, out) => {
      ctx.type = "text/plain";
      ctx.body = `provider error: ${out.error}: ${out.error_description}`;
    },
  });
}

/** Adds a key. The first one of an algorithm signs. */
function rotate(issuer) {
  keys = [newKey(), ...keys];
  makeProvider(issuer);
}

async function bodyOf(request) {
  let text = "";
  for await (const part of request) text += part;
  return text;
}

async function control(request, response, path) {
  const [, , what, name] = path.split("/");
  if (what === "accounts") accounts.set(name, JSON.parse(await bodyOf(request)));
  if (what === "origin") {
    origin = await bodyOf(request);
    makeProvider(provider.issuer);
  }
  if (what === "rotate") rotate(provider.issuer);
  if (what === "conceal") {
    const publicKeys = keys.map(({ d: _, ...key }) => key);
    rotate(provider.issuer);
    concealed = JSON.stringify({ keys: publicKeys });
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(counts));
}

/** Signs in as the account that the form names; `deny` refuses instead. */
async function interaction(request, response) {
  if (request.method === "GET") {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Provider</title><form method="post">
      <label>Account <input name="login"></label><button>Continue</button></form>`);
    return;
  }
  const form = new URLSearchParams(await bodyOf(request));
  const result = form.has("deny")
    ? { error: "access_denied", error_description: "the person refused" }
    : { login: { accountId: form.get("login") } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  counts[path] = (counts[path] ?? 0) + 1;
  const failed = (error) => {
    response.statusCode = 500;
    response.end(String(error));
  };
  if (path.startsWith("/control/")) control(request, response, path).catch(failed);
  else if (path.startsWith("/interaction/")) interaction(request, response).catch(failed);
  else if (path === "/jwks" && concealed) {
    response.setHeader("content-type", "application/json");
    response.end(concealed);
  } else provider.callback()(request, response);
});

server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  rotate(issuer);
  console.log(issuer);
});
process.stdin.on("end", () => process.exit()).resume();
