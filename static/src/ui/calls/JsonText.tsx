/** A text of JSON whose strings stand apart: letters that are read from the right must not move what is beside them. */
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")/;

export function JsonText({ text }: { text: string }) {
  return text.split(STRING).map((piece, i) => (i % 2 === 1 ? <bdi key={i}>{piece}</bdi> : piece));
}
