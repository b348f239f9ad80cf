import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { assumedVerifier } from '../../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../../src/gateway/explain/dry-engine.ts';
import { type Explanation, explain } from '../../../src/gateway/explain/explain.ts';
import { runTests } from '../../../src/gateway/explain/run-tests.ts';

const text = `version: 1
authorization_servers: { main: { issuer: "https://auth.example.com", audience: any } }
upstreams: { tools: { url: "http://127.0.0.1:9" } }
defaults: { upstream: tools }
routes:
  - id: tools
    match: { path: /mcp }
    mcp:
      scope:
        "*": mcp.use
        tools/call: tools.run
        "tools/call delete_*": tools.admin
        "resources/read file:///etc/*": nobody
      deny: ["tools/call drop_table"]
  - { id: plain, match: { path: /plain }, scope: mcp.use }
`;

async function explained(
  operation: string,
  scope: string,
  headers: readonly (readonly [string, string])[] = [],
): Promise<Explanation> {
  const loaded = loadGatewayText(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const dry = buildDryEngine(loaded, assumedVerifier(loaded.config, new Map([['assumed', { scope }]])));
  const request = { method: 'POST', host: 'api.example.com', target: '/mcp', headers, token: 'assumed', operation };
  return explain(loaded, dry, request);
}

const permit = ({ steps }: Explanation) => steps.find(({ step }) => step === 'permit');

t.test('a refused tool call names its rule, the missing scope and the line of the file', async (t) => {
  const explanation = await explained('tools/call delete_user', 'mcp.use tools.run');
  t.match(explanation.answer, { kind: 'refuse', status: 403, code: 'scope_insufficient' });
  t.match(permit(explanation), { verdict: 'refused', detail: /missing: tools.admin/, at: 'gateway.yaml:12' });
});

t.test('an accepted tool call names its rule, and shows the headers that the upstream gets', async (t) => {
  const explanation = await explained('tools/call delete_user', 'tools.admin');
  t.equal(explanation.answer.kind, 'forward');
  t.match(permit(explanation), {
    detail: /^tools\/call delete_user: rule `tools\/call delete_\*`; needed: scope tools.admin/,
  });
  const headers = new Map(explanation.upstream?.headers);
  t.equal(headers.get('mcp-name'), 'delete_user');
});

t.test('a denied operation, a mismatch and an unclear name point to their keys', async (t) => {
  const denied = await explained('tools/call drop_table', 'tools.admin');
  t.match(denied.answer, { code: 'mcp_operation_denied' });
  t.equal(permit(denied)?.at, 'gateway.yaml:14');
  const mismatch = await explained('tools/call echo', 'tools.run', [['Mcp-Name', 'other']]);
  t.match(mismatch.answer, { code: 'mcp_header_mismatch', detail: 'Mcp-Name does not match the body' });
  const unclear = await explained('resources/read file:///srv/../etc/passwd', 'mcp.use');
  t.match(unclear.answer, { code: 'mcp_name_unclear' });
});

t.test('`tests:` of a file can call tools', async (t) => {
  const cases = [
    'mcp: ping, token: { scope: mcp.use }, expect: { forward: true, route: tools }',
    'mcp: tools/call delete_user, token: { scope: tools.run }, expect: { refuse: 403, code: scope_insufficient }',
    'mcp: tools/call drop_table, token: { scope: tools.admin }, expect: { refuse: 403, code: mcp_operation_denied }',
    'mcp: tools/call, token: { scope: tools.run }, expect: { refuse: 400, code: mcp_message_invalid }',
  ];
  const wrong = 'mcp: tools/call echo, token: { scope: mcp.use }, expect: { forward: true }';
  const file = (rows: readonly string[]) =>
    `${text}tests:\n${rows.map((row) => `  - { request: POST /mcp, ${row} }\n`).join('')}`;
  const run = async (rows: readonly string[]) => {
    const loaded = loadGatewayText(file(rows));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    return (await runTests(loaded)).map(({ message }) => message);
  };
  t.strictSame(await run(cases), []);
  t.match(await run([wrong]), [/expected forwarded, but it is refused with 403 scope_insufficient/]);
});
