// Writes src/protocol.ts from the JSON Schema of the wire, and src/api.ts from the OpenAPI document; with --check it only
// says whether they are up to date.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";
import * as prettier from "prettier";

const docs = new URL("../../docs/", import.meta.url);
const sources = new URL("../src/", import.meta.url);

/** Makes the schema's newer words ones that the generator knows. */
function tidy(_, value) {
  if (!value || typeof value !== "object") return value;
  if (Array.isArray(value.prefixItems)) return { ...value, items: value.prefixItems, prefixItems: undefined };
  if (!("$ref" in value)) return value;
  // A description beside a reference would make a numbered copy of the type that it refers to.
  const { $ref, description: _description, default: _default, ...rest } = value;
  return Object.keys(rest).length === 0 ? { $ref } : { allOf: [{ $ref }, rest] };
}

async function types(schema, name, banner) {
  return compile(schema, name, {
    additionalProperties: false,
    bannerComment: banner,
    enableConstEnums: false,
    format: false,
    unreachableDefinitions: false,
  });
}

async function protocolTypes() {
  const schema = JSON.parse(await readFile(new URL("protocol.schema.json", docs), "utf8"), tidy);
  const banner =
    "// Made from docs/protocol.schema.json by `npm run types`. Change the Rust types in src/protocol instead.";
  return { file: "protocol.ts", names: Object.keys(schema.$defs), text: await types(schema, "Wire", banner) };
}

/** The types of the operations that the client can use: those of teams, and all that are no doors. */
function used({ paths, components }) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const open = operations.filter(({ tags: [tag] }) => !tag.startsWith("Door:") || tag === "Door: teams");
  const found = {};
  while (open.length > 0) {
    for (const [, kind, name] of JSON.stringify(open.pop()).matchAll(/#\/components\/(\w+)\/(\w+)/g)) {
      const part = components[kind][name];
      if (found[name] || kind === "headers") continue;
      if (kind === "schemas") found[name] = part;
      open.push(part);
    }
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The types of requests and responses that the protocol does not have already. */
async function apiTypes(known) {
  const document = JSON.parse(await readFile(new URL("openapi.json", docs), "utf8"), tidy);
  const schemas = used(document);
  const imported = new Set();
  const own = JSON.stringify(
    Object.fromEntries(Object.entries(schemas).filter(([name]) => !known.has(name))),
  );
  const $defs = JSON.parse(own, (_, value) => {
    const name = value?.$ref?.replace("#/components/schemas/", "");
    if (!name) return value;
    if (!known.has(name)) return { $ref: `#/$defs/${name}` };
    imported.add(name);
    return { tsType: name };
  });
  const properties = Object.fromEntries(
    Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
  );
  const schema = { type: "object", properties, additionalProperties: false, $defs };
  const banner = [
    "// Made from docs/openapi.json by `npm run types`. Change the Rust types of the handlers instead.",
    `import type { ${[...imported].sort().join(", ")} } from "./protocol";`,
  ];
  return { file: "api.ts", text: await types(schema, "Api", banner.join("\n")) };
}

async function write({ file, text: raw }) {
  const target = new URL(file, sources);
  const options = await prettier.resolveConfig(target);
  const text = await prettier.format(raw, { ...options, parser: "typescript" });
  if (!process.argv.includes("--check")) {
    await writeFile(target, text);
    console.log(`wrote src/${file}`);
    return;
  }
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== text) {
    console.error(`src/${file} lags behind its source: run \`npm run types\`.`);
    process.exitCode = 1;
  } else {
    console.log(`src/${file} is up to date.`);
  }
}

const protocol = await protocolTypes();
await write(protocol);
await write(await apiTypes(new Set(protocol.names)));
