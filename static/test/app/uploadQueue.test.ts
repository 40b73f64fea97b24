import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ErrorBody } from "../../src/protocol";
import { cancelUpload, enqueueUploads, type Upload } from "../../src/app/uploads";
import { ApiError } from "../../src/wire/rest";

/** An upload that was sent, and the functions that end it. */
interface Sent {
  name: string;
  yes: () => void;
  no: (body: Partial<ErrorBody>) => void;
  stopped: boolean;
}
let sent: Sent[];

function parcel(name: string): Upload {
  return {
    id: name,
    to: "here",
    name,
    content: new Blob([name]),
    send() {
      const one: Sent = { name, yes: () => {}, no: () => {}, stopped: false };
      const done = new Promise<unknown>((yes, no) => {
        one.yes = () => yes(null);
        one.no = (body) =>
          no(new ApiError(429, { code: "internal", message: "", retryable: false, ...body }));
      });
      sent.push(one);
      return { done, stop: () => (one.stopped = true) };
    },
  };
}
const names = () => sent.map((one) => one.name);

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
});
afterEach(() => vi.useRealTimers());

it("sends a few at a time, and resends those that a busy server asks to retry, when it says so", async () => {
  enqueueUploads(["a", "b", "c"].map(parcel));
  expect(names()).toEqual(["a", "b"]);
  sent[0]!.no({ code: "rate_limited", retry_after_ms: 300 });
  await vi.advanceTimersByTimeAsync(299);
  expect(names(), "the others wait with it").toEqual(["a", "b"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(names()).toEqual(["a", "b", "a"]);
  sent[1]!.yes();
  await vi.advanceTimersByTimeAsync(0);
  expect(names()).toEqual(["a", "b", "a", "c"]);
  for (const one of sent) one.yes();
  await vi.advanceTimersByTimeAsync(0);
});

it("does not resend failed or cancelled uploads", async () => {
  enqueueUploads(["d", "e"].map(parcel));
  sent[0]!.no({ code: "too_large" });
  cancelUpload("e");
  expect(sent[1]!.stopped).toBe(true);
  sent[1]!.no({ code: "rate_limited", retry_after_ms: 10 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(names()).toEqual(["d", "e"]);
});
