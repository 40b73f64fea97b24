import { expect, it } from "vitest";
import { HUES, hueOf, assignHues } from "../../src/state/hues";

const ids = Array.from({ length: 200 }, (_, at) => ({ id: `u_${at}` }));
/** Nine ids that map to the same colour. */
const twins = ids.filter(({ id }) => hueOf(id) === 3).slice(0, HUES + 1);

it("two people in one session have two colours, whatever their ids", () => {
  const hues = assignHues(twins.slice(0, HUES), {});
  expect(new Set(Object.values(hues)).size).toBe(HUES);
  // The first participant gets the colour that the id maps to.
  expect(hues[twins[0]!.id]).toBe(3);
});

it("nobody changes colour when others join or leave", () => {
  const [first, second, third] = twins as [{ id: string }, { id: string }, { id: string }];
  const two = assignHues([first, second], {});
  const left = assignHues([second, third], two);
  expect(left[second.id]).toBe(two[second.id]);
  expect(left[third.id]).toBe(3);
});

it("colours are used about equally often if there are more people than colours", () => {
  const hues = assignHues(ids.slice(0, 2 * HUES), {});
  for (let hue = 0; hue < HUES; hue++)
    expect(Object.values(hues).filter((one) => one === hue)).toHaveLength(2);
});
