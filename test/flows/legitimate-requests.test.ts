import t, { type Test } from 'tap';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import type { Recorded } from './engines/recording-upstream.ts';
import { clients } from './legitimate/clients.ts';
import { headRows } from './legitimate/head-rows.ts';
import { messageRows } from './legitimate/message-rows.ts';
import { pathRows } from './legitimate/path-rows.ts';
import type { Field, Row } from './legitimate/row.ts';
import { caseOf, type Stage, stage } from './legitimate/stage.ts';

// Requests that real clients of real APIs send must pass, whatever is refused to others. The upstream gets them octet
// by octet.

const rows = [...pathRows, ...headRows, ...messageRows];

/** Connection fields, and the credential: they are not forwarded (RFC 9110 §7.6.1). */
const stays = new Set(['connection', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

function bytesOf(
  { method, target, version, host, headers = [], scope, body, chunks, name }: Row,
  { token }: Stage,
): Buffer {
  const own: readonly Field[] = [...headers, ...(scope === undefined ? [] : [bearer(token)]), ['X-Case', caseOf(name)]];
  const common = { ...(method && { method }), target, ...(version && { version }), ...(host && { host }) };
  if (chunks === undefined) return requestText({ ...common, headers: own, ...(body !== undefined && { body }) });
  const content = [...chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`), '0\r\n\r\n'].join('');
  const head = requestText({ ...common, headers: [...own, ['Transfer-Encoding', 'chunked']] });
  return Buffer.concat([head, Buffer.from(content, 'latin1')]);
}

function assertArrived(t: Test, row: Row, seen: Recorded): void {
  const { method = 'GET', target, arrives = target, host = 'api.example.com', headers = [], fields = {} } = row;
  t.equal(seen.line, `${method} ${arrives} HTTP/1.1`);
  const sent = new Set(
    headers.map(([name]) => name.toLowerCase()).filter((name) => !stays.has(name) && !(name in fields)),
  );
  for (const name of sent) {
    const values = headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
    t.strictSame(seen.all(name), values, name);
  }
  if (!('host' in fields)) t.strictSame(seen.all('host'), [host]);
  for (const [name, values] of Object.entries(fields)) t.strictSame(seen.all(name), values, name);
  if (row.scope !== undefined) t.strictSame(seen.all('authorization'), []);
  assertBody(t, row, seen);
}

function assertBody(t: Test, { body = '', chunks }: Row, seen: Recorded): void {
  t.equal(seen.state, 'completed');
  t.equal(seen.body.toString('latin1'), chunks?.join('') ?? body, 'the body');
  t.equal(seen.framing === 'chunked', chunks !== undefined, 'and how its length is said');
}

for (const engine of ['undici', 'own'] as const) {
  t.test(`a legitimate request passes byte-equal, with ${engine}`, async (t) => {
    const on = await stage(t, engine, rows);
    for (const row of rows) {
      await t.test(row.name, async (t) => {
        const { port } = await on.gateway(row.before);
        const response = await ask(port, bytesOf(row, on), { method: row.method ?? 'GET' });
        t.equal(response.status, row.status ?? 200, response.body.toString('latin1', 0, 200));
        if (row.hears !== undefined) t.equal(response.body.toString('latin1'), row.hears);
        const [seen, ...more] = on.upstream.take(caseOf(row.name));
        t.equal(more.length, 0, 'it arrived once');
        if (seen === undefined) t.fail('it never arrived');
        else assertArrived(t, row, seen);
      });
    }
    t.strictSame(on.upstream.faults, []);
  });

  for (const [name, client] of Object.entries(clients))
    t.test(`a legitimate client is served, with ${engine}: ${name}`, async (t) => client(t, await stage(t, engine)));
}

t.test('the table has at least sixty rows, with unique names', async (t) => {
  t.ok(rows.length >= 60, `${rows.length} rows, and ${Object.keys(clients).length} clients`);
  t.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
});
