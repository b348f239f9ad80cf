import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { compare } from '../../../src/gateway/diff/compare.ts';
import { compileFile } from '../../../src/gateway/diff/compiled-file.ts';
import { openings } from '../../../src/gateway/diff/openings.ts';
import { replay } from '../../../src/gateway/diff/replay.ts';

const rules = {
  scope: { '*': 'mcp.use', 'tools/call': 'tools.run', 'tools/call delete_*': 'tools.admin' },
  deny: ['tools/call drop_table'],
};

function loaded(mcp: object | undefined, more: object = {}) {
  const text = JSON.stringify({
    version: 1,
    authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' } },
    upstreams: { tools: { url: 'http://127.0.0.1:9' } },
    defaults: { upstream: 'tools' },
    routes: [{ id: 'tools', match: { path: '/mcp' }, mcp, ...more }],
  });
  const file = loadGatewayText(text);
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  return file;
}

async function changed(old: object, now: object): Promise<readonly string[]> {
  const { changes } = await compare(compileFile(loaded(old)), compileFile(loaded(now)));
  return changes.map(({ change, path, callers }) => `${change} ${path}: ${callers.join('; ')}`);
}

t.test('a rule for a tool that needs less opens that tool and no other', async (t) => {
  const wider = { ...rules, scope: { ...rules.scope, 'tools/call delete_*': 'tools.run' } };
  t.strictSame(await changed(rules, wider), [
    'opened /mcp [tools/call delete_other]: with scope tools.run',
    'closed /mcp [tools/call delete_other]: with scope tools.admin',
  ]);
});

t.test('an operation that is no longer denied is open to those with its scope', async (t) => {
  t.strictSame(await changed(rules, { ...rules, deny: [] }), [
    'opened /mcp [tools/call drop_table]: with scope tools.run; with scope mcp.use tools.admin tools.run',
  ]);
});

t.test('a removed rule for any method changes what has no rule of its own', async (t) => {
  const { '*': _, ...scope } = rules.scope;
  const now = { id: 'tools', match: { path: '/mcp' }, access: 'authenticated' };
  const { changes } = await compare(compileFile(loaded(rules)), compileFile(loaded({ ...rules, scope }, now)));
  t.ok(changes.some(({ change, path }) => change === 'opened' && path === '/mcp [ping]'));
  t.notOk(changes.some(({ path }) => path.includes('tools/call')));
});

t.test('settings of messages that no probe can test are listed', async (t) => {
  const now = { ...rules, mirror: 'off', versions: ['2026-07-28'] };
  const { settings, changes } = await compare(compileFile(loaded(rules)), compileFile(loaded(now)));
  t.strictSame(changes, []);
  t.strictSame(settings, [
    'routes.tools.mcp.mirror: was require, now off',
    'routes.tools.mcp.versions: was not set, now 2026-07-28',
  ]);
});

t.test('a route whose messages are no longer read is listed, even if it had no rules', async (t) => {
  const methods = { match: { path: '/mcp', methods: ['POST'] }, scope: 'mcp.use', end_with: 'token' };
  const settings = async (old: object | undefined, now: object | undefined) =>
    (await compare(compileFile(loaded(old, methods)), compileFile(loaded(now, methods)))).settings;
  t.match(await settings({}, undefined), ['routes.tools.mcp: was set, now not set']);
  t.match(await settings(undefined, {}), ['routes.tools.mcp: was not set, now set']);
});

t.test('a reload that opens a tool is noticed', async (t) => {
  const { opened } = await openings(loaded(rules), loaded({ ...rules, deny: [] }));
  t.match(opened, [/tools\/call drop_table/]);
  t.strictSame(await openings(loaded(rules), loaded(rules)), { opened: [], doubtful: [] });
});

t.test('a recorded tool call is replayed with its tool', async (t) => {
  const line = {
    method: 'POST',
    host: 'api.example.com',
    path: '/mcp',
    code: 'forwarded',
    route: 'tools',
    client: 'agent',
    mcp_method: 'tools/call',
    mcp_name: 'delete_user',
  };
  const stricter = { ...rules, deny: ['tools/call delete_*'] };
  const { changed: told } = await replay(
    [JSON.stringify(line)],
    compileFile(loaded(rules)),
    compileFile(loaded(stricter)),
  );
  t.match(told, [{ was: 'forwarded', now: '403 mcp_operation_denied', count: 1 }]);
});
