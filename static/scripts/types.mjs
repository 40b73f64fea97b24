// Writes src/protocol.ts from the JSON Schema of the wire; with --check it only says whether the file is up to date.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";
import * as prettier from "prettier";

const source = new URL("../../docs/protocol.schema.json", import.meta.url);
const target = new URL("../src/protocol.ts", import.meta.url);

const schema = JSON.parse(await readFile(source, "utf8"), tidy);

/** Makes the schema's newer words ones that the generator knows. */
function tidy(_, value) {
  if (!value || typeof value !== "object") return value;
  if (Array.isArray(value.prefixItems)) return { ...value, items: value.prefixItems, prefixItems: undefined };
  if (!("$ref" in value)) return value;
  // A description beside a reference would make a numbered copy of the type that it refers to.
  const { $ref, description: _description, default: _default, ...rest } = value;
  return Object.keys(rest).length === 0 ? { $ref } : { allOf: [{ $ref }, rest] };
}

const raw = await compile(schema, "Wire", {
  additionalProperties: false,
  bannerComment:
    "// Made from docs/protocol.schema.json by `npm run types`. Change the Rust types in src/protocol instead.",
  enableConstEnums: false,
  format: false,
  unreachableDefinitions: false,
});
const options = await prettier.resolveConfig(target);
const text = await prettier.format(raw, { ...options, parser: "typescript" });

if (process.argv.includes("--check")) {
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== text) {
    console.error("src/protocol.ts lags behind docs/protocol.schema.json: run `npm run types`.");
    process.exit(1);
  }
  console.log("src/protocol.ts is up to date.");
} else {
  await writeFile(target, text);
  console.log("wrote src/protocol.ts");
}
