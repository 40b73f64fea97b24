import { afterEach, expect, it, vi } from "vitest";
import { admin } from "../../src/wire/admin";

afterEach(() => vi.unstubAllGlobals());

it("revokes all credentials of a participant, also those beyond the first list", async () => {
  const left = Array.from({ length: 450 }, (_, at) => `c${at}`);
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const id = path.split("/credentials/")[1];
    if (init.method === "DELETE" && id) left.splice(left.indexOf(id), 1);
    const page = { credentials: left.slice(0, 200).map((one) => ({ id: one })), more: left.length > 200 };
    return init.method === "GET" ? Response.json(page) : new Response(null, { status: 204 });
  });
  await admin.revokeAll("u_1");
  expect(left).toEqual([]);
});
