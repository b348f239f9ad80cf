import { readFileSync } from 'node:fs';
import t from 'tap';
import { refuse } from '../../../src/gateway/decide/outcome.ts';
import type { Identity } from '../../../src/gateway/message/identity.ts';
import { combinedLine } from '../../../src/gateway/telemetry/combined-line.ts';
import type { Decision } from '../../../src/gateway/telemetry/decision-record.ts';
import { ecsLine } from '../../../src/gateway/telemetry/ecs-line.ts';
import { refererOf } from '../../../src/gateway/telemetry/without-tokens.ts';
import fc, { tries } from '../../support/properties.ts';
import { headOf } from '../head.ts';

const BEGAN = Date.UTC(2026, 9, 10, 13, 55, 36, 789);

interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly subject?: string;
}

function decided(
  { method, target = '/books/7', headers = [], subject }: Asked,
  more: Partial<Decision> = {},
): Decision {
  const identity = { subject, clientId: 'shop', scopes: new Set() } as unknown as Identity;
  return {
    code: 'scope_insufficient',
    outcome: subject === undefined ? refuse('scope_insufficient') : refuse('scope_insufficient', { identity }),
    head: headOf(headers, method, target),
    requestId: 'r-1',
    status: 403,
    bytesIn: 0,
    bytesOut: 478,
    milliseconds: 1.25,
    ...more,
  };
}

/** As a program reads the combined format: the fields, with their escapes decoded to bytes. */
function parsed(line: string): readonly string[] | undefined {
  const [value, text] = [String.raw`(\S+)`, String.raw`"((?:[^"\\]|\\.)*)"`];
  const shape = new RegExp(`^${value} ${value} ${value} \\[([^\\]]*)\\] ${text} ${value} ${value} ${text} ${text}$`);
  return shape.exec(line)?.slice(1).map(unescaped);
}

const named: Readonly<Record<string, string>> = { b: '\b', n: '\n', r: '\r', t: '\t', v: '\v' };

function unescaped(field: string): string {
  return field.replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex, one) =>
    hex === undefined ? (named[one] ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

t.test('combined: a line as Apache writes it, without query', async (t) => {
  const headers = ['Referer', 'https://app.example/list?access_token=Hush#top', 'User-Agent', 'curl/8.5.0'];
  const asked = { method: 'GET', target: '/books/7?access_token=Hush', headers, subject: 'alice' };
  t.equal(
    combinedLine(decided(asked), BEGAN),
    '127.0.0.1 - alice [10/Oct/2026:13:55:36 +0000] "GET /books/7 HTTP/1.1" 403 478 "https://app.example/list" "curl/8.5.0"',
  );
});

t.test('combined: an unknown value, and a body of no bytes, is a hyphen', async (t) => {
  t.equal(
    combinedLine(decided({}, { outcome: undefined, status: undefined, bytesOut: 0 }), BEGAN),
    '127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /books/7 HTTP/1.1" - - "-" "-"',
  );
});

t.test('combined: escapes are those of Apache, byte by byte', async (t) => {
  const headers = ['User-Agent', 'a"b\\c\td\x01\x7f\xc3\xa9'];
  const line = combinedLine(decided({ headers, subject: 'Zoë "Q"' }), BEGAN);
  t.ok(line.endsWith(String.raw`"a\"b\\c\td\x01\x7f\xc3\xa9"`), line);
  t.equal(line.split(' ')[2], String.raw`Zo\xc3\xab\x20\"Q\"`);
  t.equal(combinedLine(decided({ subject: '-' }), BEGAN).split(' ')[2], String.raw`\x2d`);
  t.equal(combinedLine(decided({ subject: '' }), BEGAN).split(' ')[2], '""');
});

const byte = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
const nasty = fc
  .array(fc.constantFrom('"', '\\', '\n', '\r', ' ', ']', '[', '" 200 1 "', '\\x22', '\\', 'a', '\u2028', '\x1b'))
  .map((pieces) => pieces.join(''));

t.test('combined: no value of a client or an authorization server adds a line or a field', async () => {
  const anything = fc.oneof(byte, nasty);
  const cases = fc.record({
    agent: anything,
    referer: anything,
    subject: fc.oneof(fc.string({ unit: 'binary' }), nasty),
  });
  fc.assert(
    fc.property(cases, ({ agent, referer, subject }) => {
      const headers = ['User-Agent', agent, 'Referer', referer];
      const line = combinedLine(decided({ headers, subject }), BEGAN);
      if (!/^[\x20-\x7e]*$/.test(line)) return false;
      const [address, ident, user, , request, status, bytes, ...more] = parsed(line) ?? [];
      const told = Buffer.from(subject, 'utf8').toString('latin1');
      return (
        [address, ident, request, status, bytes].join('|') === '127.0.0.1|-|GET /books/7 HTTP/1.1|403|478' &&
        user === (subject === '' ? '""' : told) &&
        more.length === 2
      );
    }),
    tries(500, 20_000),
  );
});

t.test("combined: a client's own values read back as they were sent", async (t) => {
  fc.assert(
    fc.property(byte, (agent) => {
      const line = combinedLine(decided({ headers: ['User-Agent', agent] }), BEGAN);
      return agent === '' || parsed(line)?.[8] === agent;
    }),
    tries(300, 5_000),
  );
  t.pass();
});

t.test('ecs: one line of JSON with the fields of the schema', async (t) => {
  const headers = ['Referer', 'https://app.example/list?x=Hush', 'User-Agent', 'curl/8.5.0'];
  const asked = { method: 'POST', target: '/books?access_token=Hush', headers, subject: 'alice' };
  const line = ecsLine(decided(asked, { bytesIn: 12, traceId: 'ab'.repeat(16) }), BEGAN);
  t.notMatch(line, /\n/);
  t.strictSame(JSON.parse(line), {
    '@timestamp': '2026-10-10T13:55:36.789Z',
    ecs: { version: '8.17.0' },
    event: {
      kind: 'event',
      category: ['web'],
      type: ['access'],
      dataset: 'gatehouse.access',
      code: 'scope_insufficient',
      outcome: 'failure',
      duration: 1_250_000,
    },
    http: {
      version: '1.1',
      request: { id: 'r-1', method: 'POST', referrer: 'https://app.example/list', body: { bytes: 12 } },
      response: { status_code: 403, body: { bytes: 478 } },
    },
    url: { path: '/books' },
    client: { address: '127.0.0.1', ip: '127.0.0.1' },
    source: { address: '127.0.0.1', ip: '127.0.0.1' },
    user: { id: 'alice' },
    user_agent: { original: 'curl/8.5.0' },
    trace: { id: 'ab'.repeat(16) },
    gatehouse: { client_id: 'shop' },
  });
});

t.test('ecs: an unknown value is absent, and control characters are replaced', async (t) => {
  const none = { outcome: undefined, status: undefined, code: 'client_gone' } as const;
  const line = JSON.parse(ecsLine(decided({ headers: ['User-Agent', 'a\x9b2J\nb'] }, none), BEGAN));
  t.equal(line.user_agent.original, 'a\u{fffd}2J\u{fffd}b');
  t.equal(line.event.outcome, 'unknown');
  t.strictSame(Object.keys(line.http.response), ['body']);
  for (const name of ['user', 'trace', 'gatehouse']) t.notOk(name in line, name);
});

t.test('the cookbook shows lines as they are written', async (t) => {
  const page = readFileSync(new URL('../../../docs/cookbook/access-log.md', import.meta.url), 'utf8');
  t.strictSame(parsed(page.match(/^192\.0\.2\.7 - alice .*$/m)?.[0] ?? '')?.slice(3, 7), [
    '10/Oct/2026:13:55:36 +0000',
    'GET /books/7 HTTP/1.1',
    '200',
    '482',
  ]);
  const shown = JSON.parse(page.match(/^\{"@timestamp".*$/m)?.[0] ?? '');
  const headers = ['Referer', 'https://app.example/list', 'User-Agent', 'Mozilla/5.0 …'];
  const line = JSON.parse(ecsLine(decided({ headers, subject: 'alice' }), BEGAN));
  const namesOf = (value: unknown, path = ''): readonly string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, member]) => namesOf(member, `${path}.${name}`))
      : [path];
  t.strictSame(
    namesOf(shown).filter((name) => name !== '.gatehouse.route'),
    namesOf(line),
  );
});

t.test('a Referer is logged without its query, passwords, or tokens in any spelling', async (t) => {
  const cases: readonly (readonly [sent: string, told: string | undefined])[] = [
    ['https://app.example/a/b', 'https://app.example/a/b'],
    ['https://app.example/a?code=Hush', 'https://app.example/a'],
    ['https://app.example/a#access_token=Hush', 'https://app.example/a'],
    ['https://app.example/a%3fHush', 'https://app.example/a'],
    ['https://app.example/a;access%5ftoken=Hush', 'https://app.example/a;'],
    ['https://alice:Hush@app.example/a', 'https://app.example/a'],
    ['//a:Hush@b@app.example/a', '//app.example/a'],
    ['', undefined],
  ];
  for (const [sent, told] of cases) t.equal(refererOf(headOf(['Referer', sent])), told, sent);
  t.equal(refererOf(headOf()), undefined);
  t.equal(refererOf(headOf(['Referer', `https://a.example/${'x'.repeat(5000)}`]))?.length, 1024);
});
