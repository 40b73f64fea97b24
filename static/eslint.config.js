import js from "@eslint/js";
import a11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist", "src/protocol.ts", "src/api.ts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  a11y.flatConfigs.recommended,
  {
    // The rules beyond these two are for the React Compiler, which this build does not use.
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      // What scrolls must be reachable with the keyboard.
      "jsx-a11y/no-noninteractive-tabindex": ["error", { tags: ["div", "pre"], roles: ["log", "tabpanel"] }],
      "max-lines": ["error", 400],
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "@typescript-eslint/no-empty-object-type": "off",
      // The composer's field is a combobox that keeps the focus; its list is reached through it.
      "jsx-a11y/no-redundant-roles": "off",
    },
  },
  // Dependencies point downwards: ui, app, state, wire, and below them json and text.
  ...["app", "state", "wire", "json", "text"].map((folder, i, folders) => ({
    files: [`src/${folder}/**`],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: `^(\\.\\./)+(${["ui", ...folders.slice(0, i)].join("|")})/` }] },
      ],
    },
  })),
  {
    files: ["scripts/**", "*.config.js"],
    languageOptions: { globals: { console: "readonly", process: "readonly", URL: "readonly" } },
  },
);
