import { expect, it } from "vitest";
import { COLOR_COUNT, colorOf, assignColors } from "../../src/state/participantColors";

const ids = Array.from({ length: 200 }, (_, at) => ({ id: `u_${at}` }));
/** Nine ids that map to the same colour. */
const twins = ids.filter(({ id }) => colorOf(id) === 3).slice(0, COLOR_COUNT + 1);

it("two people in one session have two colours, whatever their ids", () => {
  const colors = assignColors(twins.slice(0, COLOR_COUNT), {});
  expect(new Set(Object.values(colors)).size).toBe(COLOR_COUNT);
  // The first participant gets the colour that the id maps to.
  expect(colors[twins[0]!.id]).toBe(3);
});

it("nobody changes colour when others join or leave", () => {
  const [first, second, third] = twins as [{ id: string }, { id: string }, { id: string }];
  const two = assignColors([first, second], {});
  const left = assignColors([second, third], two);
  expect(left[second.id]).toBe(two[second.id]);
  expect(left[third.id]).toBe(3);
});

it("colours are used about equally often if there are more people than colours", () => {
  const colors = assignColors(ids.slice(0, 2 * COLOR_COUNT), {});
  for (let color = 0; color < COLOR_COUNT; color++)
    expect(Object.values(colors).filter((one) => one === color)).toHaveLength(2);
});
