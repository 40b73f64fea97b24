import { expect, it } from "vitest";
import {
  splitAtPassage,
  excerptAround,
  highlightMatches,
  type TextPart,
} from "../../src/state/searchHighlight";

/** The text with the highlighted parts in brackets. */
const shown = (parts: TextPart[]) => parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join("");
const marks = (text: string, query: string) => shown(highlightMatches(text, query));

it("highlights whole words in any case and form, but not parts of words", () => {
  expect(marks("The account locks. Accounts locked; ACCOUNT_lock, accountant, blocks", "account LOCKS")).toBe(
    "The [account] [locks]. [Accounts] [locked]; [ACCOUNT]_[lock], accountant, blocks",
  );
  for (const forms of [
    "refuse refuses refused refusing",
    "retry retries retried retrying",
    "stop stops stopped stopping",
    "match matches matched",
    "case cases",
    "class classes",
    "call calls called calling",
    "process processes processed",
    "string strings",
  ])
    for (const query of forms.split(" "))
      expect(marks(forms, query)).toBe(`[${forms.replaceAll(" ", "] [")}]`);
  expect(marks("bus us used status thing red", "bu u thing's")).toBe("bus us used status [thing] red");
  expect(marks("ＡＰＩ v2.1", "api 1")).toBe("[ＡＰＩ] v2.[1]");
});

it("highlights pairs of Chinese characters, and a single one if the query is a single one", () => {
  expect(marks("连续失败后锁定账户，失利不算", "账户锁定失败")).toBe("连续[失败]后[锁定账户]，失利不算");
  expect(marks("锁定与解锁", "锁")).toBe("[锁]定与解[锁]");
  expect(marks("调用API接口", "api 接口")).toBe("调用[API接口]");
  expect(marks("𠀀𠀁𠀂", "𠀁𠀂")).toBe("𠀀[𠀁𠀂]");
});

it("treats a query as words and nothing else", () => {
  expect(marks("a.b*c (x)", ".* ( \\")).toBe("a.b*c (x)");
  expect(marks("", "a")).toBe("");
});

it("trims a long passage around the first highlight", () => {
  const text = `${"before ".repeat(100)}here it is ${"after ".repeat(100)}`;
  const cut = excerptAround(highlightMatches(text, "here"), 120);
  expect(shown(cut)).toMatch(/^… before before.*\[here\] it is after.* …$/);
  expect(shown(cut).length).toBeLessThan(130);
  expect(excerptAround(highlightMatches("short here", "here"), 120)).toHaveLength(2);
  expect(shown(excerptAround(highlightMatches(text, "nothing"), 20))).toBe("before before before …");
});

it("locates a passage in its text by the number of its first line", () => {
  expect(splitAtPassage("one\ntwo\n\nthree\nfour", 2, "two\n\nthree")).toEqual([
    "one\n",
    "two\n\nthree\n",
    "four",
  ]);
  expect(splitAtPassage("one\ntwo", 2, "two")).toEqual(["one\n", "two", ""]);
  expect(splitAtPassage("one", 7, "gone")).toEqual(["one", "", ""]);
});
