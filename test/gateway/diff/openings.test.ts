import t from 'tap';
import { compare } from '../../../src/gateway/diff/compare.ts';
import { compileFile } from '../../../src/gateway/diff/compiled-file.ts';
import { openings } from '../../../src/gateway/diff/openings.ts';
import { loaded } from './loaded.ts';

const read = 'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read';

/** All of these were refused before, also without a token. */
const openers: Record<string, readonly string[]> = {
  'a new route that requires a scope': [read, 'id: new, match: { path: /invoices }, scope: orders.read'],
  'a new route for every token': [read, 'id: new, match: { path: /invoices }, access: authenticated'],
  'a wider path': [read.replace('/orders/{id}', '/{rest*}')],
  'a moved path': [read.replace('/orders/{id}', '/invoices/{id}')],
  'a further method': [read.replace('[GET]', '[GET, DELETE]')],
  'an easier scope': [read.replace('scope: orders.read', 'scope: { any_of: [orders.read, orders.list] }')],
};

for (const [name, after] of Object.entries(openers)) {
  t.test(`${name} is more access, so a file that was changed in place waits`, async (t) => {
    const { opened } = await openings(loaded([read]), loaded(after));
    t.ok(opened.length > 0);
    for (const line of opened) t.match(line, /was refused with \d+ .*, now forwarded by /);
  });
}

const closers: Record<string, readonly string[]> = {
  'the same file': [read],
  'one of the paths': ['id: other, match: { methods: [GET], path: /orders/1 }, scope: orders.read'],
  'a further scope': [read.replace('scope: orders.read', 'scope: orders.read orders.list')],
  'a narrower path': [read.replace('/orders/{id}', '/orders/7')],
};

for (const [name, after] of Object.entries(closers)) {
  t.test(`${name} is not more access, so it loads by itself`, async (t) => {
    t.strictSame(await openings(loaded([read]), loaded(after)), { opened: [], doubtful: [] });
  });
}

interface Hole {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** In `opened`, or else in `doubtful`. */
  readonly found: RegExp;
  /** More keys of the upstream in the earlier file. */
  readonly api?: string;
}

const wide = 'id: w, match: { path: "/{rest*}" }, access: authenticated';

/** Widenings that requests with one sample of each kind would miss. */
const holes: Record<string, Hole> = {
  'a removed route leaves its requests to a route without its limit': {
    before: [
      'id: l, match: { path: /login }, access: authenticated, rate_limit: { requests: 5, per: 1m, by: address }',
      wide,
    ],
    after: [wide],
    found: /^routes\.w\.rate_limit: was 5 in 60 s by address, now none \(these requests had route l\)$/m,
  },
  'another upstream': {
    before: [wide],
    after: [`${wide}, upstream: other`],
    found: /^routes\.w\.upstream$/m,
  },
  'a rewritten path': {
    before: [wide],
    after: [`${wide}, rewrite: { add_prefix: /admin }`],
    found: /^routes\.w\.rewrite$/m,
  },
  'tokens in the query': {
    before: [wide],
    after: [`${wide}, bearer_methods_supported: [header, query]`],
    found: /^routes\.w\.bearer_methods_supported$/m,
  },
  'a larger body': {
    before: [`${wide}, limits: { body: 1KiB }`],
    after: [wide],
    found: /^routes\.w\.limits\.body$/m,
  },
  'a public route in shadow mode': {
    before: ['id: p, match: { path: /p }, access: public'],
    after: ['id: p, match: { path: /p }, access: public, mode: shadow'],
    found: /^routes\.p\.mode$/m,
  },
  'a claim that is compared with another name of the path': {
    before: ['id: t, match: { path: "/t/{a}/u/{b}" }, access: authenticated, claims: { tenant: { equals: path.a } }'],
    after: ['id: t, match: { path: "/t/{a}/u/{b}" }, access: authenticated, claims: { tenant: { equals: path.b } }'],
    found: /\/t\/\{\}\/u\/\{\} .*claims \{"tenant":/,
  },
  'a route for the host of a sample': {
    before: [
      'id: a, match: { host: sample.example.com, path: /a }, scope: x',
      'id: b, match: { host: "{t}.example.com", path: /a }, access: authenticated',
    ],
    after: [
      'id: a, match: { host: sample.example.com, path: /a }, scope: x',
      'id: b, match: { host: "{t}.example.com", path: /a }, access: public',
    ],
    found: /\/a at \{\}\.example\.com.*now forwarded by `b`/,
  },
  'hosts that two patterns match': {
    before: [
      'id: a, match: { host: "{t}.example.com", path: /a }, access: authenticated',
      'id: b, match: { host: "api.{t}.com", path: /a }, access: public',
    ],
    after: ['id: b, match: { host: "api.{t}.com", path: /a }, access: public'],
    found: /\/a at api\.example\.com.*now forwarded by `b`/,
  },
  'requests that meet two conditions': {
    before: [
      'id: a, match: { path: /a, headers: { x-a: "1" } }, access: public',
      'id: b, match: { path: /a, headers: { x-b: "1" }, query: { op: del } }, access: authenticated',
      'id: c, match: { path: /a }, scope: z',
    ],
    after: [
      'id: a, match: { path: /a, headers: { x-a: "1" } }, access: public',
      'id: c, match: { path: /a }, scope: z',
    ],
    found: /\/a \[x-a: 1\] \[x-b: 1, \?op=del\].*now forwarded by `a`/,
  },
  'an encoded slash inside a name': {
    before: ['id: f, match: { path: "/f/{n}/edit" }, access: authenticated'],
    after: ['id: f, match: { path: "/f/{n}/edit" }, access: authenticated, encoded_slashes: keep'],
    found: /with %2F.*now forwarded by `f`/,
  },
  'letters of both cases': {
    before: ['id: s, match: { path: /ADMIN }, scope: x', 'id: p, match: { path: "/{rest*}" }, access: public'],
    after: ['id: s, match: { path: /ADMIN }, scope: x', 'id: p, match: { path: "/{rest*}" }, access: public'],
    api: ', case_sensitive: false',
    found: /\/ADMIN \(in other letters\).*now forwarded by `p`/,
  },
  'sessions of a tools server, with their GET and DELETE': {
    before: ['id: m, match: { path: /mcp }, access: authenticated, mcp: {}'],
    after: ['id: m, match: { path: /mcp }, access: authenticated, mcp: { sessions: true }'],
    found: /^routes\.m\.mcp\.sessions: was .*, now true$/m,
  },
  'another value of aud': {
    before: ['id: r, match: { path: /a }, access: authenticated, claims: { aud: { contains: a } }'],
    after: ['id: r, match: { path: /a }, access: authenticated, claims: { aud: { contains: b } }'],
    found: /claims \{"aud":\["b"\]\}/,
  },
};

for (const [name, { before, after, found, api }] of Object.entries(holes)) {
  t.test(`${name}: the guard waits, and diff tells why`, async (t) => {
    const [old, now] = [loaded(before, api), loaded(after)];
    const { opened, doubtful } = await openings(old, now);
    t.match([...opened, ...doubtful].join('\n'), found);
    const { changes, settings } = await compare(compileFile(old), compileFile(now));
    t.ok(changes.some(({ change }) => change === 'opened') || settings.length > 0);
  });
}
