import { expect, it } from "vitest";
import { deviceName } from "../../src/ui/settings/CredentialList";

it("names browser and system", () => {
  const apple = "AppleWebKit/537.36 (KHTML, like Gecko)";
  expect(deviceName(`Mozilla/5.0 (X11; Linux x86_64) ${apple} Chrome/140.0 Safari/537.36`)).toBe(
    "Chrome · Linux",
  );
  expect(deviceName(`Mozilla/5.0 (Windows NT 10.0) ${apple} Chrome/140.0 Safari/537.36 Edg/140.0`)).toBe(
    "Edge · Windows",
  );
  expect(deviceName("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1")).toBe(
    "Safari · iOS",
  );
  expect(deviceName("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Firefox/140.0")).toBe(
    "Firefox · macOS",
  );
  expect(deviceName("curl/8.5.0")).toBe("curl");
  expect(deviceName("Something else")).toBe("Something else");
});
