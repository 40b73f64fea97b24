/** Server-sent events in the body of a response. */

/** One event. */
interface StreamEvent {
  event: string;
  data: string;
}

/** Maximum characters of an event that is not complete yet. */
const MAX_EVENT_CHARS = 4 * 1024 * 1024;

/** Reads the events one by one, until the stream ends or an event is too long. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (text.length <= MAX_EVENT_CHARS) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop()!;
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

function parseEvent(block: string): StreamEvent | null {
  const lines = block.split(/\r?\n/);
  const valuesOf = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart());
  const data = valuesOf("data");
  return data.length > 0 ? { event: valuesOf("event").at(-1) ?? "message", data: data.join("\n") } : null;
}
