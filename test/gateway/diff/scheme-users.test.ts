import t from 'tap';
import { type Comparison, compare } from '../../../src/gateway/diff/compare.ts';
import { compileFile } from '../../../src/gateway/diff/compiled-file.ts';
import { openings } from '../../../src/gateway/diff/openings.ts';
import { loaded } from './loaded.ts';

function compared(before: readonly string[], after: readonly string[]): Promise<Comparison> {
  return compare(compileFile(loaded(before)), compileFile(loaded(after)));
}

const store = (file: string) => `{ storage: "sqlite:/none/${file}.db" }`;

/** Each scheme, and how its callers are named. */
const schemes: Record<string, { readonly block: (file: string) => string; readonly user: RegExp }> = {
  digest: {
    block: (file) => `auth: digest, digest: { realm: meters, users: ${store(file)} }`,
    user: /^as a user of digest:meters \(the store\)$/,
  },
  basic: {
    block: (file) => `auth: basic, basic: { realm: meters, users: ${store(file)} }`,
    user: /^as a user of basic:meters \(the store\)$/,
  },
  api_key: {
    block: (file) => `auth: api_key, api_key: { realm: meters, keys: ${store(file)} }`,
    user: /^as a user of api_key:meters \(the store\) without scope$/,
  },
};

/** Only for its users, and not for bearer tokens. */
for (const [name, { block, user }] of Object.entries(schemes)) {
  const route = (path: string, more = '') =>
    `id: dev, match: { path: "${path}"${more} }, access: authenticated, ${block('one')}`;
  const old = [route('/devices/{id}', ', methods: [GET]')];

  const openers: Record<string, readonly string[]> = {
    'another path': [route('/{a}/{b}/{rest*}', ', methods: [GET]')],
    'a wider path': [route('/{rest*}', ', methods: [GET]')],
    'all methods': [route('/devices/{id}')],
    'a further route': [...old, route('/more').replace('id: dev', 'id: more')],
  };
  for (const [change, after] of Object.entries(openers)) {
    t.test(`a route with ${name} that gets ${change} gives more access to its users`, async (t) => {
      const { changes } = await compared(old, after);
      const opened = changes.filter((each) => each.change === 'opened');
      t.ok(opened.length > 0, JSON.stringify(changes));
      for (const { callers } of opened) t.match(callers.join(), user);
      const { opened: told } = await openings(loaded(old), loaded(after));
      t.ok(told.length > 0, 'the guard of reloads finds it too');
    });
  }

  t.test(`a removed route with ${name} takes the access of its users away`, async (t) => {
    const { changes } = await compared([...old, route('/more').replace('id: dev', 'id: more')], old);
    t.match(changes, [{ change: 'closed', path: '/more', callers: [user] }]);
  });

  t.test(
    `equal routes with ${name} have no change, and neither have other users of the same scheme alone`,
    async (t) => {
      t.strictSame((await compared(old, old)).changes, []);
      const other = [old.join().replace(block('one'), block('two'))];
      const { changes } = await compared(old, other);
      t.strictSame(new Set(changes.map(({ change }) => change)), new Set(['opened', 'closed']), 'of the other store');
    },
  );
}

t.test('a scope that a route asks of the users of a file is compared for each user that the file names', async (t) => {
  const route = (scope: string) =>
    `id: dev, match: { path: /a }, scope: ${scope}, auth: digest, digest: { realm: meters, users: ${store('one')}, scopes: { reader: a.read, writer: a.read a.write, second: a.read } }`;
  const { changes } = await compared([route('a.write')], [route('a.read')]);
  t.match(changes, [{ change: 'opened', callers: ['as reader of digest:meters (the store)'] }]);
  t.equal(changes.length, 1, 'users with equal scopes count once');
});

t.test('a route for the user who is named in its path is more access, for each scheme', async (t) => {
  for (const { block } of Object.values(schemes)) {
    const claims = 'claims: { sub: { equals: path.id } }';
    const route = (path: string) => `id: dev, match: { path: "${path}" }, scope: a.read, ${claims}, ${block('one')}`;
    const { changes } = await compared([route('/a/{id}')], [route('/b/{id}')]);
    t.match(
      changes.map(({ change, path }) => `${change} ${path}`),
      ['opened /b/{}', 'closed /a/{}'],
    );
    t.match((await openings(loaded([route('/a/{id}')]), loaded([route('/b/{id}')]))).opened.join(), /claims \{"sub":/);
  }
});

t.test('scopes of API keys are assumed, because only the store knows them', async (t) => {
  const route = (scope: string) => `id: dev, match: { path: /a }, scope: ${scope}, ${schemes.api_key?.block('one')}`;
  const { changes } = await compared([route('a.write')], [route('a.read')]);
  t.match(changes, [
    { change: 'opened', callers: ['as a user of api_key:meters (the store) with scope a.read'] },
    { change: 'closed', callers: ['as a user of api_key:meters (the store) with scope a.write'] },
  ]);
});

t.test('a route that accepts a second scheme is open to the users of that scheme too', async (t) => {
  const digest = `digest: { realm: meters, users: ${store('one')} }`;
  const route = (auth: string, blocks: string) =>
    `id: dev, match: { path: /a }, access: authenticated, auth: ${auth}${blocks}`;
  const both = route('{ any_of: [bearer, digest] }', `, ${digest}`);
  t.match((await compared([route('bearer', '')], [both])).changes, [
    { change: 'opened', callers: ['as a user of digest:meters (the store)'] },
  ]);
  t.match((await compared([both], [route('digest', `, ${digest}`)])).changes, [
    { change: 'closed', callers: ['with a token without scope'] },
  ]);
});
