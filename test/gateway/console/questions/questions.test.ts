// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { entry } from '../../../../src/gateway/message/codes.ts';
import { setVariable } from '../../../support/environment.ts';
import { behind, gateway } from '../../../support/gateway.ts';
import { servedFile, writeIn } from '../../../support/served-file.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { jwt } from '../../../support/tokens.ts';
import { witness } from '../../../support/witness.ts';

/** Judges texts that need seconds of CPU: 17 s, and 64 s on two cores that five other programs use. */
t.setTimeout(240_000);

type Answer = Record<string, unknown> & { explanation?: Record<string, unknown> & { answer: Record<string, unknown> } };

async function ask(
  admin: string | undefined,
  path: string,
  body: unknown,
): Promise<{ status: number; answer: Answer }> {
  const response = await fetch(`${admin}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as Answer };
}

function open(t: Test) {
  return gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
}

t.test('a question is answered by the running file, for each kind of caller', async (t) => {
  const { adminUrl } = await open(t);
  const verdict = async (body: object) => {
    const { answer } = await ask(adminUrl, 'explain', { method: 'GET', url: '/orders/1', ...body });
    const { kind, code } = answer.explanation?.answer ?? {};
    return code ?? kind;
  };
  t.equal(await verdict({}), 'credential_missing');
  t.equal(await verdict({ scope: 'orders.read' }), 'forward');
  t.equal(await verdict({ scope: 'other' }), 'scope_insufficient');
  t.equal(await verdict({ claims: { iss: 'https://other.example' } }), 'token_issuer');
  t.equal(await verdict({ token: 'abc' }), 'token_malformed');
  t.equal(await verdict({ token: await jwt({ scope: 'orders.read' }, { alg: 'HS256' }) }), 'forward');
  t.equal(await verdict({ url: '/admin/x', scope: 'orders.read' }), 'scope_insufficient');
  t.equal(await verdict({ url: '/orders/%2e%2e/x' }), 'target_dot_segment');
});

t.test('a question that cannot be answered says what is wrong, and never repeats a value', async (t) => {
  const { adminUrl } = await open(t);
  const hidden = 'hidden-value';
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ url: '/' }, /method/],
    [{ method: 'GET', url: '/', token: 7 }, /`token` must be string/],
    [{ method: 'G ET', url: '/' }, /method has a character/],
    [{ method: 'GET', url: 'orders' }, /write a path such as/],
    [{ method: 'GET', url: '/', token: hidden, scope: 'a' }, /use only one/],
    [{ method: 'GET', url: '/', tokn: hidden }, /`tokn` is not known/],
    [[], /`the body` must be object/],
  ];
  for (const [body, told] of cases) {
    const { status, answer } = await ask(adminUrl, 'explain', body);
    t.equal(status, 400, JSON.stringify(body));
    t.match(answer.error, told);
    t.notMatch(JSON.stringify(answer), hidden);
  }
  t.equal((await ask(adminUrl, 'explain', '{')).status, 400);
  t.strictSame((await ask(adminUrl, 'nothing', {})).answer, { error: 'not found' });
  const form = await fetch(`${adminUrl}/api/explain`, { method: 'POST', body: new URLSearchParams({ method: 'GET' }) });
  t.equal(form.status, 415, 'a form of a page gets nothing');
  t.strictSame(Object.keys((await form.json()) as object), ['error']);
  const large = await ask(adminUrl, 'ticket', { ticket: 'a'.repeat(2 * 1024 * 1024) });
  t.match(large, { status: 413, answer: { error: 'Request body is too large' } });
  t.strictSame(Object.keys(large.answer), ['error']);
});

const PASTED = `version: 1
upstreams: { api: { url: "http://127.0.0.1:9" } }
authorization_servers:
  main: { issuer: "https://auth.example.com", audience: "https://api.example.com" }
defaults: { upstream: api }
routes:
  - id: pasted
    match: { path: /orders }
    scope: pasted
`;

t.test('a pasted file is asked in place of the running one', async (t) => {
  const { adminUrl } = await open(t);
  const { answer } = await ask(adminUrl, 'explain', { method: 'GET', url: '/orders', scope: 'pasted', yaml: PASTED });
  t.match(answer.explanation, { route: 'pasted', answer: { kind: 'forward' } });
  const token = await jwt();
  const asked = await ask(adminUrl, 'explain', { method: 'GET', url: '/orders', token, yaml: PASTED });
  t.equal(asked.answer.explanation?.answer.kind, 'undecided', 'no server of a pasted file is asked');
});

t.test('the errors of a pasted file have their lines', async (t) => {
  const { adminUrl } = await open(t);
  const yaml = PASTED.replace('scope: pasted', 'scop: pasted');
  const { answer } = await ask(adminUrl, 'check', { yaml });
  t.match(answer.problems, [{ severity: 'error', line: 9, message: /`scop`/ }]);
  const { status, answer: asked } = await ask(adminUrl, 'explain', { method: 'GET', url: '/', yaml });
  t.equal(status, 422);
  t.match(asked.problems, [{ line: 9 }]);
});

t.test('a pasted file reads no variable and no file, and does not tell whether a file exists', async (t) => {
  const { adminUrl } = await open(t);
  const directory = temporaryFolder(t);
  const file = join(directory, 'canary');
  setVariable(t, 'PASTED_CANARY', 'canary-of-the-environment');
  const forms = (path: string) => [
    PASTED.replace('"http://127.0.0.1:9"', '"http://${PASTED_CANARY}:9"'),
    `${PASTED}realm: "\${file:${path}}"\n`,
    PASTED.replace('audience', `jwks_file: "${path}", audience`),
    PASTED.replace('scope: pasted', `basic: { users: "${path}" }`),
    PASTED.replace('scope: pasted', `digest: { users: "${path}" }`),
    PASTED.replace('audience', `client_id: a, client_key: "${path}", audience`),
  ];
  const told = async () => {
    const answers: unknown[] = [];
    for (const yaml of forms(file)) {
      answers.push(await ask(adminUrl, 'check', { yaml }));
      answers.push(await ask(adminUrl, 'explain', { method: 'GET', url: '/orders', scope: 'a', yaml }));
    }
    return JSON.stringify(answers);
  };
  const absent = await told();
  writeFileSync(file, 'canary-of-the-file');
  const present = await told();
  t.notMatch(present, /canary-of/);
  t.equal(present, absent, 'the answers are the same with and without the file');
});

t.test('the text of the running file has no secret, and is still valid', async (t) => {
  const secret = 'the-secret-of-this-file-is-long-enough';
  const { adminUrl } = await servedFile(t, (directory, listeners) =>
    writeIn(
      directory,
      'gateway.yaml',
      `${listeners}# the old secret was ${secret}
upstreams: { api: { url: "http://127.0.0.1:9" } }
authorization_servers:
  main: { issuer: "https://auth.example.com", client_id: a, client_secret: ${secret}, audience: x }
counters: { url: "redis://:${secret}@127.0.0.1:9" }
defaults: { upstream: api }
routes:
  - { id: r, match: { path: /orders }, scope: read }
`,
    ),
  );
  const { text } = (await (await fetch(`${adminUrl}/api/file`)).json()) as { text: string };
  t.notMatch(text, secret);
  t.match(text, 'client_secret: "${HIDDEN}"');
  const { answer } = await ask(adminUrl, 'check', { yaml: text });
  t.strictSame(
    (answer.problems as { severity: string }[]).filter(({ severity }) => severity === 'error'),
    [],
  );
  const explained = await ask(adminUrl, 'explain', { method: 'GET', url: '/orders', scope: 'read' });
  t.match(explained.answer.explanation?.candidates, [{ at: /gateway\.yaml:\d+$/ }]);
});

t.test(
  'if the file on disk differs from the running one, the running one is asked, and the reader learns it',
  async (t) => {
    let file = '';
    const body = (scope: string) => `upstreams: { api: { url: "http://127.0.0.1:9" } }
authorization_servers: { main: { issuer: "https://auth.example.com", audience: x } }
defaults: { upstream: api }
routes:
  - { id: r, match: { path: /orders }, scope: ${scope} }
`;
    const { adminUrl, directory } = await servedFile(t, (folder, listeners) => {
      file = listeners;
      writeIn(folder, 'gateway.yaml', listeners + body('read'));
    });
    writeIn(directory, 'gateway.yaml', `${file}${body('write')}nonsense: 1\n`);
    const { remark, text } = (await (await fetch(`${adminUrl}/api/file`)).json()) as Record<string, unknown>;
    t.match(remark, /differs from the running file/);
    t.equal(text, undefined);
    const { answer } = await ask(adminUrl, 'explain', { method: 'GET', url: '/orders', scope: 'read' });
    t.equal(answer.explanation?.answer.kind, 'forward');
  },
);

t.test('a ticket opens and says what to do, and another text does not', async (t) => {
  const running = await open(t);
  const refused = (await (await fetch(`${running.url}/orders/1`)).json()) as { ticket: string };
  t.match((await ask(running.adminUrl, 'ticket', { ticket: ` ${refused.ticket}\n` })).answer, {
    code: 'credential_missing',
    text: entry('credential_missing').text,
    remedy: entry('credential_missing').remedy,
  });
  const other = await ask(running.adminUrl, 'ticket', { ticket: 'none' });
  t.equal(other.status, 404);
  t.match(other.answer, { error: 'not_a_ticket' });
});

t.test('a refused decision has the YAML that would let it pass, and a forwarded one has none', async (t) => {
  const { adminUrl } = await open(t);
  const record = {
    time: 1,
    code: 'scope_insufficient',
    method: 'GET',
    path: '/admin/1',
    route: 'admin',
    client: 'shop',
    scope_needed: ['admin'],
    scope_held: ['orders.read'],
    scope_missing: 'admin',
  };
  const { answer } = await ask(adminUrl, 'remedy', { record });
  t.match(answer.yaml, /any_of: \[admin, orders\.read\]/);
  t.equal((await ask(adminUrl, 'remedy', { record: { ...record, code: 'forwarded' } })).answer.yaml, undefined);
});

t.test('a pasted text that takes seconds to judge does not hold up requests', async (t) => {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const order: string[] = [];
  const yaml = `${PASTED}${Array.from({ length: 6_000 }, () => '  - {}').join('\n')}\n`;
  const judged = ask(running.adminUrl, 'check', { yaml }).then(({ status }) => order.push(`judged ${status}`));
  // The text is with the gateway once a second question has its answer.
  await ask(running.adminUrl, 'explain', { method: 'GET', url: '/orders/1' });
  for (let count = 0; count < 20; count++) await fetch(`${running.url}/public/${count}`);
  order.push('20 requests');
  await judged;
  t.match(order, ['20 requests', /^judged (200|422)$/]);
});

t.test('more questions at once than the gateway answers get 503', async (t) => {
  const { adminUrl } = await open(t);
  const yaml = `${PASTED}${Array.from({ length: 500 }, () => '  - {}').join('\n')}\n`;
  const all = await Promise.all(Array.from({ length: 20 }, () => ask(adminUrl, 'check', { yaml })));
  const statuses = new Set(all.map(({ status }) => status));
  t.ok(statuses.has(503) && statuses.has(200), [...statuses].join());
  t.match(
    all.find(({ status }) => status === 503)?.answer.error,
    'the gateway is busy with other questions; try again',
  );
});

t.test('secrets of headers and comments of any line end are not in the shown file', async (t) => {
  const secret = 'hook-secret-71c2';
  const { adminUrl } = await servedFile(t, (directory, listeners) =>
    writeIn(
      directory,
      'gateway.yaml',
      `${listeners}upstreams: { api: { url: "http://127.0.0.1:9" } }
# old: ${secret}
defaults: { upstream: api }
routes:
  - { id: hook, match: { path: /orders, headers: { X-Hook-Token: ${secret} } }, access: public }
  - { id: rest, match: { path: /orders, headers: { X-Version: "2" } }, access: public }
`.replaceAll('\n', '\r\n'),
    ),
  );
  const { text } = (await (await fetch(`${adminUrl}/api/file`)).json()) as { text: string };
  t.notMatch(text, secret);
  t.match(text, 'X-Version: "2"');
  const { answer } = await ask(adminUrl, 'explain', { method: 'GET', url: '/orders' });
  t.notMatch(JSON.stringify(answer), secret);
  t.match(JSON.stringify(answer), 'header x-hook-token: the request has none');
});
