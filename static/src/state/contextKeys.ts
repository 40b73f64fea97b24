/** Context keys that the prompt templates of a team use. */
import type { TeamDocument } from "../wire/teams";

/** Returns the keys in `{context.KEY}`, in the order of the document. `{{` and `}}` stand for braces. */
export function contextKeys({ topology }: TeamDocument): string[] {
  const templates = topology.nodes.flatMap((node) => node.agents.map((agent) => agent.user_prompt_template));
  const keys = templates.flatMap((template) =>
    typeof template === "string"
      ? [...template.matchAll(/\{\{|\}\}|\{context\.([^{}]+)\}/g)].flatMap(([, key]) => key ?? [])
      : [],
  );
  return [...new Set(keys)];
}
