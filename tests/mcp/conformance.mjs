// Runs the conformance suite: the package named first, as in `node conformance.mjs conformance-next list --client`.
import { existsSync } from 'node:fs';
import { register } from 'node:module';

const [name] = process.argv.splice(2, 1);
const suite = new URL(`node_modules/${name}/dist/index.js`, import.meta.url);
if (!existsSync(suite)) throw new Error('the conformance suite is not installed: run  make test-setup');
// It imports `globSync` from `fs` for a command that is not used here; Node.js has that from version 22 on only.
const fs = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];`;
const hooks = `export const resolve = (name, context, next) =>
    name === 'fs' && context.parentURL === ${JSON.stringify(suite.href)}
        ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(fs)}`)}, shortCircuit: true }
        : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
await import(suite);
