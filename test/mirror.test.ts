import { existsSync, globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import t from 'tap';

/** Folders of a tree that have a file of this form, without the tree itself. */
function foldersOf(tree: string, form: string): readonly string[] {
  const files = globSync(`${tree}/**/${form}`).map((file) => dirname(file).slice(tree.length + 1));
  return [...new Set(files)].filter((folder) => folder !== '').sort();
}

const sources = foldersOf('src', '*.ts');
const tests = foldersOf('test', '*.test.ts');

/** Folder of src → the tests that cover it from another place, and why they are there. */
const elsewhere: Readonly<Record<string, { readonly why: string; readonly tests: readonly string[] }>> = {
  'authorization/login': {
    why: 'the login page, the password grant and the account page log users in by it',
    tests: ['authorization/browser/login.test.ts', 'authorization/grants/password-grant.test.ts'],
  },
  'authorization/outbox': {
    why: 'the kinds of notices are sent by it, and each kind has its tests',
    tests: ['authorization/logout/back-channel-logout.test.ts', 'authorization/security-events/push.test.ts'],
  },
  'authorization/service': { why: 'types, and the start of the service', tests: ['authorization/start.test.ts'] },
  'authorization/tokens/kinds': {
    why: 'the endpoints for tokens read every kind',
    tests: ['authorization/back-channel/introspect.test.ts', 'authorization/back-channel/revoke.test.ts'],
  },
  'commands/administration': {
    why: 'the commands about clients and users run it',
    tests: ['commands/client.test.ts', 'commands/reseal.test.ts'],
  },
  'commands/openapi': { why: '`gatehouse import` runs it', tests: ['commands/import-openapi.test.ts'] },
  'config/schemes': {
    why: 'a whole file is loaded, and the contract of schemes tests each row',
    tests: ['config/mistakes.test.ts', 'flows/schemes.test.ts'],
  },
  'config/show': { why: '`gatehouse config show` runs it', tests: ['commands/config-show.test.ts'] },
  'gateway/compile/envoy': { why: 'a real Envoy runs what it writes', tests: ['envoy/compiled.test.ts'] },
  'gateway/compile/envoy-gateway': {
    why: 'a real Envoy Gateway translates what it writes',
    tests: ['peers/compiled-envoy-gateway.test.ts'],
  },
  'gateway/compile/gateway-api': {
    why: 'the objects for Kubernetes are compared with the gateway',
    tests: ['gateway/compile/kubernetes/kubernetes-verdicts.property.test.ts'],
  },
  'gateway/compile/istio': {
    why: 'validators of Istio read what it writes',
    tests: ['peers/compiled-istio.test.ts'],
  },
  'gateway/console/access/texts': {
    why: 'the pages of a login show them in each language',
    tests: ['gateway/console/access/pages.test.ts'],
  },
  'gateway/listener/decision': { why: 'proxies ask it over sockets', tests: ['flows/decision-endpoint.test.ts'] },
  'gateway/schemes/api_key': { why: 'clients send keys over sockets', tests: ['flows/api-keys.test.ts'] },
  'gateway/shadow': { why: '`gatehouse shadow` prints the report', tests: ['commands/shadow.test.ts'] },
  'storage/migrations': { why: 'each engine runs them', tests: ['storage/sqlite/migrate.test.ts'] },
};

/** Folder of test, inside a room, without a folder of src. */
const additional: Readonly<Record<string, string>> = {
  'authorization/oidf': 'the plans of the OpenID Foundation, which judge the whole service',
  config: 'rules about all files of a configuration; src/config has only folders',
  'gateway/vendors': 'what other programs do, which the gateway must know',
};

/** Tests in the same folder of test, in one that is nested in it, or beside it with its name. */
function isMirrored(folder: string): boolean {
  const isInside = tests.some((each) => each === folder || each.startsWith(`${folder}/`));
  return isInside || globSync(`test/${dirname(folder)}/${basename(folder)}{,-*}.test.ts`).length > 0;
}

/** The nearest folder with an exception: a folder inside it needs none. */
const named = (folder: string) => Object.keys(elsewhere).find((each) => `${folder}/`.startsWith(`${each}/`));

t.test('every folder of src has its tests in the same folder of test, or a reason why not', async (t) => {
  const bare = sources.filter((folder) => !isMirrored(folder));
  t.strictSame(
    bare.filter((folder) => named(folder) === undefined),
    [],
  );
  t.strictSame(
    Object.keys(elsewhere).filter((each) => !bare.includes(each)),
    [],
    'no exception is out of date',
  );
  t.comment(`${sources.length} folders, ${bare.length} with tests elsewhere`);
});

t.test('the tests that an exception names exist', async (t) => {
  for (const { tests } of Object.values(elsewhere)) for (const file of tests) t.ok(existsSync(`test/${file}`), file);
});

t.test('every folder of test inside a room is a folder of src, or has a reason', async (t) => {
  const rooms = new Set(sources.map((folder) => folder.split('/')[0]));
  const inRooms = tests.filter((folder) => rooms.has(folder.split('/')[0]));
  t.strictSame(
    inRooms.filter((folder) => !sources.includes(folder)),
    Object.keys(additional),
  );
});
