/** What changes between two texts, line by line. */
interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Texts with more lines than this are shown as one change: people could not follow the lines anyway. */
const MAX_LINES = 400;

/** The lines of both texts in order, each once where it is in both. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  if (a.length > MAX_LINES || b.length > MAX_LINES) return [...all("gone", a), ...all("new", b)];
  const common = lengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push({ kind: "gone", text: a[i++]! });
    else lines.push({ kind: "new", text: b[j++]! });
  }
  return [...lines, ...all("gone", a.slice(i)), ...all("new", b.slice(j))];
}

/** For every pair of places how many lines the rests have in common. */
function lengths(a: string[], b: string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i]![j] =
        a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table;
}

function all(kind: DiffLine["kind"], lines: string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}
