// An MCP server with bad manners, over standard input and output, without a library that would keep it from them.
// `node odd.mjs` is greeted the older way, `node odd.mjs newest` the newest; `silent` never greets.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const how = process.argv[2] ?? 'older';
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (words) => ({ content: [{ type: 'text', text: String(words) }], resultType: 'complete' });
const object = { type: 'object' };
const tools = [
    { name: 'echo', inputSchema: object, annotations: { readOnlyHint: true } },
    { name: 'hang', inputSchema: object },
    { name: 'cancelled', inputSchema: object },
    { name: 'die', inputSchema: object },
    { name: 'huge', inputSchema: object },
    { name: 'garbage', inputSchema: object },
    { name: 'senseless', inputSchema: object },
    { name: 'refuse', inputSchema: object },
    { name: 'grow', inputSchema: object },
    { name: 'busy', inputSchema: object },
    { name: 'child', inputSchema: object },
    { name: 'ask', inputSchema: object },
    { name: 'progress', inputSchema: object },
    { name: 'odd.name/with more', inputSchema: object },
    { name: 'unreadable' },
    { name: 'no object', inputSchema: { type: 'string' } },
    { name: 'no schema', inputSchema: { type: 'object', properties: { a: { type: 'nosuch' } } } },
];
const cancelled = [];
const waiting = new Map();
let listener;
let onCancelled;
let asked = 0;
let busy;
const later = [];

const changed = () => {
    const _meta = listener === undefined ? undefined : { 'io.modelcontextprotocol/subscriptionId': listener };
    say({ method: 'notifications/tools/list_changed', params: _meta && { _meta } });
};

const question = {
    method: 'elicitation/create',
    params: {
        mode: 'form',
        message: 'Which colour?',
        requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
    },
};

const calls = {
    echo: (id, { arguments: given }) => say({ id, result: text(JSON.stringify(given)) }),
    hang: () => {},
    // Answers once a call is cancelled.
    cancelled: (id) => {
        onCancelled = () => say({ id, result: text(cancelled.length) });
        if (cancelled.length) onCancelled();
    },
    die: () => process.exit(3),
    huge: (id) => say({ id, result: text('x'.repeat(1_000_000)) }),
    garbage: (id) => {
        process.stdout.write('no JSON at all\n{"jsonrpc":"2.0","id":"nobody","result":{}}\n[1,2\n\n{}\n\u0000\n');
        say({ id, result: text('after the garbage') });
    },
    senseless: (id) => say({ id, result: { content: 'not a list' } }),
    refuse: (id) => say({ id, error: { code: -32602, message: 'no such colour' } }),
    grow: (id) => {
        tools.push({ name: 'grown', inputSchema: object });
        changed();
        say({ id, result: text('grown') });
    },
    // Hears nothing else until it is cancelled.
    busy: (id) => {
        tools.push({ name: 'grown', inputSchema: object });
        changed();
        busy = id;
    },
    child: (id, { arguments: { port } }) => {
        const code = `require('node:net').connect(${port}, '127.0.0.1'); setInterval(() => {}, 1000)`;
        spawn(process.execPath, ['-e', code], { stdio: 'inherit' });
        say({ id, result: text('started') });
    },
    // Tells how far it is; of a call that nobody made, too.
    progress: (id, { _meta }) => {
        const { progressToken } = _meta;
        const method = 'notifications/progress';
        say({ method, params: { progressToken: 'nobody', progress: 1 } });
        say({ method, params: { progressToken, progress: 1, total: 4, message: 'a quarter' } });
        say({ id, result: text('done') });
    },
    ask: (id, params) => {
        if (how !== 'newest') {
            asked += 1;
            waiting.set(`q${asked}`, (answer) => say({ id, result: text(JSON.stringify(answer)) }));
            const requestedSchema = params.arguments?.schema ?? question.params.requestedSchema;
            const { url } = params.arguments ?? {};
            const page = { mode: 'url', message: 'Sign in there', url, elicitationId: `e${asked}` };
            say({
                id: `q${asked}`,
                ...question,
                params: url ? page : { ...question.params, requestedSchema },
            });
        } else if (params.inputResponses) {
            say({ id, result: text(JSON.stringify({ ...params.inputResponses.q, state: params.requestState })) });
        } else {
            say({ id, result: { resultType: 'input_required', inputRequests: { q: question }, requestState: 'kept' } });
        }
    },
};

const page = (cursor = '0') => {
    const from = Number(cursor);
    const nextCursor = from + 5 < tools.length ? String(from + 5) : undefined;
    return { tools: tools.slice(from, from + 5), nextCursor, resultType: 'complete' };
};

const methods = {
    initialize: (id) =>
        say({
            id,
            result: {
                protocolVersion: '2025-11-25',
                capabilities: { tools: { listChanged: true } },
                serverInfo: { name: 'odd', version: '1' },
            },
        }),
    'server/discover': (id) =>
        how === 'newest'
            ? say({
                  id,
                  result: {
                      resultType: 'complete',
                      supportedVersions: ['2026-07-28'],
                      capabilities: { tools: { listChanged: true } },
                      ttlMs: 0,
                      cacheScope: 'private',
                  },
              })
            : say({ id, error: { code: -32601, message: 'Method not found' } }),
    'subscriptions/listen': (id, { notifications }) => {
        listener = id;
        const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
        say({ method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } });
    },
    'tools/list': (id, params) => say({ id, result: page(params?.cursor) }),
    'tools/call': (id, params) => (calls[params.name] ?? calls.echo)(id, params),
    'notifications/cancelled': (_, { requestId }) => {
        cancelled.push(requestId);
        onCancelled?.();
    },
};

process.stderr.write('the odd server is here\n');
const hear = ({ id, method, params, result }) => {
    if (how === 'silent') return;
    if (method) methods[method]?.(id, params);
    else waiting.get(id)?.(result);
};
createInterface({ input: process.stdin }).on('line', (line) => {
    later.push(JSON.parse(line));
    if (later.some(({ method, params }) => method === 'notifications/cancelled' && params.requestId === busy)) {
        busy = undefined;
    }
    while (busy === undefined && later.length) hear(later.shift());
});
