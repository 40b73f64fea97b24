// @vitest-environment jsdom
import { act } from "react";
import { expect, it } from "vitest";
import { navigate, useRoute } from "../../src/app/route";
import { render } from "../support/screen";

it("reads the pages of teams and sessions from their addresses", () => {
  let route: ReturnType<typeof useRoute> | undefined;
  function Probe() {
    route = useRoute();
    return null;
  }
  render(<Probe />);
  const at = (path: string) => {
    act(() => navigate(path));
    return route;
  };
  expect(at("/s/s_1")).toEqual({ page: "session", session: "s_1", graph: false });
  expect(at("/s/s_1/graph")).toEqual({ page: "session", session: "s_1", graph: true });
  expect(at("/teams/")).toEqual({ page: "teams", view: { view: "list" } });
  expect(at("/teams/new")).toEqual({ page: "teams", view: { view: "team", team: null } });
  expect(at("/teams/t1")).toEqual({ page: "teams", view: { view: "team", team: "t1" } });
  const executions = (...chosen: string[]) => ({
    page: "teams",
    view: { view: "executions", team: "t1", executions: chosen },
  });
  expect(at("/teams/t1/executions")).toEqual(executions());
  expect(at("/teams/t1/executions/e1/e2")).toEqual(executions("e1", "e2"));
  expect(at("/teams/t1/executions/e1/e2/e3")).toEqual({ page: "not-found" });
  expect(at("/teams/t1/other")).toEqual({ page: "not-found" });
  expect(at("/teams/%E0%A4%A")).toMatchObject({ page: "teams", view: { team: "%E0%A4%A" } });
});
