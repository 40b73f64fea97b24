import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` finds a server. */
const server = process.env.ROUNDTABLE_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    // The page's policy allows no inline scripts or data: fonts; every asset is a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file for what every visit loads. Split by what later parts share with it, it would be 47 files, and 19 KiB more:
    // small files compress badly. scripts/size.mjs holds its size.
    chunkSizeWarningLimit: 800,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "initial", tags: ["$initial"] }] } } },
    // What others wrote keeps its notice beside it.
    license: { fileName: "licenses.md" },
  },
  server: { proxy: { "/api": { target: server, ws: true } } },
  test: {
    environment: "node",
    include: ["test/**/*.test.{ts,tsx}"],
    unstubGlobals: true,
    // Each file with modules and a document of its own would take three times as long.
    pool: "threads",
    isolate: false,
    // `make test` runs these at the lowest priority, beside compilers and the tests of the server.
    testTimeout: 60_000,
  },
});
