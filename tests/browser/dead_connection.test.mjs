import { startLine } from "./support/line.mjs";
import { startServer } from "./support/server.mjs";
import { browser, setStage, test } from "./support/stage.mjs";
import { begin, connected, nothingWrong, signIn } from "./support/steps.mjs";

setStage({ demo: {} });

/** Milliseconds within which a page notices a silent network, with some margin for a busy machine. */
const NOTICED_WITHIN = 10_000 + 2_000;

test("a silent network is noticed within 10 s, and the page resumes by itself when it is back", async () => {
  const line = await startLine();
  const server = await startServer({ config: () => `allowed_hosts = ["${line.address}"]\n` });
  try {
    line.lead(server.address);
    const ann = await browser.person();
    await signIn(ann, { link: server.link.replace(server.address, line.address) });
    await begin(ann, "", { team: "Test case" });
    line.silence();
    await ann.getByTestId("offline").waitFor({ timeout: NOTICED_WITHIN });
    await ann.locator('[data-connection="offline"]').waitFor();
    line.speak();
    await connected(ann);
    await nothingWrong(ann);
  } finally {
    line.close();
    await server.stop();
  }
});
