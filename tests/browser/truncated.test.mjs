import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import { alone, button, connected, message, nothingWrong } from "./support/steps.mjs";

setStage();

test("an answer truncated by its provider says so, also after a reload, and its agent continues", async () => {
  const [ann] = await alone("Tell me a story", { team: "Assistant with tools" });
  const half = await model.turn();
  half.end("Once upon a", "length");
  const cut = message(ann, "Once upon a");
  await cut.getByText("cut off at the model's token limit").waitFor();

  // It is in the log, so a person who joins later sees it, too.
  await ann.reload();
  await connected(ann);
  await cut.getByText("cut off at the model's token limit").waitFor();
  await button(cut, "Continue").click();

  const rest = await model.turn();
  assert.match(rest.asked, /incomplete=token_limit/, "the agent is told that its words are not whole");
  rest.end("time there was a parser.");
  await message(ann, "there was a parser").waitFor();
  assert.equal(await button(ann, "Continue").count(), 0, "it is offered for the last message alone");
  await nothingWrong(ann);
});
