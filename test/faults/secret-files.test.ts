import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';
import { inTurn } from '../support/digest-caller.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Canaries, canary } from './support/canaries.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);

/** Whatever is wrong with a file that contains secrets, no message contains a secret. */

type Spoilt = (secret: string) => string;

const server = (more: string) =>
  `authorization_servers: { main: { issuer: https://a.example, audience: a, client_id: g, ${more} } }\n`;
const gateway: Spoilt = (secret) =>
  `version: 1
upstreams: { api: { url: "http://127.0.0.1:1", credentials: { basic: { username: u, password: ${secret} } } } }
defaults: { upstream: api }
${server(`client_secret: ${secret}`)}routes: [{ match: { path: /a }, scope: s }]
`;
const instead =
  (from: string | RegExp, to: Spoilt): Spoilt =>
  (secret) =>
    gateway(secret).replace(from, () => to(secret));
const added =
  (text: Spoilt): Spoilt =>
  (secret) =>
    gateway(secret) + text(secret);

const ofGateway: Readonly<Record<string, Spoilt>> = {
  'an unknown key': added(() => 'rotues: []\n'),
  'a misspelt key of a secret': instead('client_secret:', () => 'client_secrt:'),
  'a secret in a list': instead(/client_secret: \w+/, (secret) => `client_secret: [${secret}]`),
  'a secret in a map': instead(/password: \w+/, (secret) => `password: { a: ${secret} }`),
  'a secret where a block is wanted': instead(/credentials: .*/, (secret) => `credentials: ${secret} } }`),
  'an open quote': instead(/client_secret: /, () => 'client_secret: "'),
  'a tab': added((secret) => `limits:\n\tpassword: ${secret}\n`),
  'a key twice': added((secret) => server(`client_secret: ${secret}`)),
  'two documents': added((secret) => `---\npassword: ${secret}\n`),
  'a variable that is not set': instead(
    /client_secret: \w+/,
    (secret) => `client_secret: "${secret}\${NOT_SET_AT_ALL}"`,
  ),
  'a variable that is not closed': instead(/client_secret: \w+/, (secret) => `client_secret: "\${${secret}"`),
  'a secret that is no base64': instead(/client_secret: \w+/, (secret) => `secret_base64url: "${secret}!"`),
  'a key of a wrong length': added((secret) => `ticket_keys: ["${secret}"]\nnonce_keys: ["${secret}"]\n`),
  'a URL with a password': instead('http://127.0.0.1:1', (secret) => `http://u:${secret}@127.0.0.1:1/a?b`),
  'a URL of no protocol': instead('http://127.0.0.1:1', (secret) => `ftp://u:${secret}@127.0.0.1`),
  'a Redis of no port': added((secret) => `counters: 'redis://:${secret}@127.0.0.1:99999'\n`),
  'a Redis of another protocol': added((secret) => `counters: 'redi://:${secret}@127.0.0.1'\n`),
  'a database of no port': instead(
    /client_secret: \w+/,
    (secret) => `verify: store, storage: 'postgres://u:${secret}@h:99999/d'`,
  ),
  'an issuer with a password': instead('https://a.example', (secret) => `https://u:${secret}@a.example`),
  'an upstream header of no name': instead(
    /credentials: .*/,
    (secret) => `credentials: { header: { name: "X Y", value: ${secret} } } } }`,
  ),
  'a password with a line break': instead(/password: \w+/, (secret) => `password: "${secret}\\n${secret}"`),
  'a test that fails': added(
    (secret) =>
      `tests: [{ request: GET /a, headers: { Authorization: "Bearer ${secret}" }, expect: { forward: true } }]\n`,
  ),
  // Not YAML, and the quoted line has no key.
  'a secret below its key, not indented': added((secret) => `password:\n${secret}\nrealm: a\n`),
  'a secret below its key, in the wrong column': instead(
    /authorization_servers: .*/,
    (secret) => `authorization_servers:\n  main:\n    client_secret:\n   ${secret}\n    audience: a`,
  ),
  'a block of text that is not indented': added((secret) => `password: |\n${secret}\n${secret}\n`),
  'a block of text on the line of its sign': added((secret) => `password: |${secret}\n`),
  'a folded block that ends too early': added((secret) => `limits:\n  password: >\n    a\n  ${secret}\n  body: 1MiB\n`),
  'an item of a list in the wrong column': added((secret) => `nonce_keys:\n  - a\n - ${secret}\n`),
  'an item of a list without a sign': added((secret) => `nonce_keys:\n  - a\n  ${secret}\n`),
  'an item of a list with a tab': added((secret) => `nonce_keys:\n\t- ${secret}\n`),
  'a list that is not closed': added((secret) => `nonce_keys: [\n  ${secret},\n  ${secret}\n`),
  'a brace in a list': added((secret) => `nonce_keys: [a, ${secret}{b}, c]\n`),
  'a brace below its key': added((secret) => `nonce_keys: [\n  ${secret}{b}c\n]\n`),
  'an escape that YAML does not know': added((secret) => `password: "\\q${secret}"\n`),
  'a name of an anchor': added((secret) => `password: &${secret} *${secret} a\n`),
  'an alias of no anchor': added((secret) => `nonce_keys: [*${secret}]\npassword: *${secret}\n`),
  'an anchor, and nothing else': added((secret) => `password: &${secret}\n`),
  'an anchor of another value': added((secret) => `password: &${secret} a\n`),
  'a tag': added((secret) => `password: !${secret} a\n`),
  'a reserved sign': added((secret) => `password: @${secret}\n`),
  'a directive': (secret) => `%${secret}\n${gateway(secret)}`,
  'a comment before a mistake': added((secret) => `# password: ${secret}\n\tnonce_keys: [] # ${secret}\n`),
  'a secret in the place of a key': added((secret) => `password:\n? ${secret}: a: b\n`),
  'a brace in the value of a header': instead(
    /credentials: .*/,
    (secret) => `credentials: { header: { name: X-Api-Key, value: ${secret}{et}42 } } } }`,
  ),
  'a brace behind a path below a secret': added((secret) => `nonce_keys: { path: ${secret}{et}42 }\n`),
  'a comma in a secret': instead(/client_secret: \w+/, (secret) => `client_secret: abc,${secret}`),
  'a comma in the value of a header': instead(
    /credentials: .*/,
    (secret) => `credentials: { header: { name: X-Api-Key, value: abc,${secret} } } } }`,
  ),
  'two commas in a secret': instead(/client_secret: \w+/, (secret) => `client_secret: abc,d,${secret}`),
  'a secret behind a colon without a space': instead(/client_secret: \w+/, (secret) => `client_secret:${secret}`),
  'a comment behind a variable that is not set': added(
    (secret) => `nonce_keys:\n  - "\${NOT_SET_AT_ALL}" # was ${secret}\n`,
  ),
  'a comment behind a number': added((secret) => `nonce_keys: 12 #${secret}\n`),
  'half of a file': (secret) => gateway(secret).slice(0, gateway(secret).lastIndexOf(secret) + 20),
};

const service: Spoilt = (secret) =>
  `version: 1
issuer: https://a.example
storage: sqlite::memory:
resources: [https://api.example.com]
scopes: { s: Something }
clients: [{ client_id: shop, client_secret: ${secret}, scope: s, grant_types: [client_credentials] }]
users: [{ username: alice, password_argon2: "${secret}" }]
`;
const serviceWith =
  (from: string | RegExp, to: Spoilt): Spoilt =>
  (secret) =>
    service(secret).replace(from, () => to(secret));

const ofService: Readonly<Record<string, Spoilt>> = {
  'no hash of a password': service,
  'a misspelt key of a secret': serviceWith('client_secret:', () => 'clientsecret:'),
  'a secret in a list': serviceWith(/client_secret: \w+/, (secret) => `client_secret: [${secret}]`),
  'an open quote': serviceWith('client_secret: ', () => "client_secret: '"),
  'a database of no port': serviceWith('sqlite::memory:', (secret) => `postgres://u:${secret}@h:99999/d`),
  'a database of another protocol': serviceWith('sqlite::memory:', (secret) => `postgers://u:${secret}@h/d`),
  'an encryption key of a wrong length': serviceWith('users:', (secret) => `encryption_keys: ["${secret}"]\nusers:`),
  'a Redis of another protocol': serviceWith('users:', (secret) => `counters: "redi://:${secret}@h"\nusers:`),
  'a secret below its key, not indented': serviceWith(/client_secret: (\w+)/, (secret) => `client_secret:\n${secret}`),
  'a block of text that is not indented': serviceWith('users:', (secret) => `encryption_keys: |\n${secret}\nusers:`),
  'an item of a list in the wrong column': serviceWith(
    'users:',
    (secret) => `encryption_keys:\n  - a\n - ${secret}\nusers:`,
  ),
  'a plain password': serviceWith('password_argon2:', () => 'password:'),
  'an unknown scope': serviceWith('scope: s', () => 'scope: t'),
  // not bad, but unavailable
  'a database that is out': (secret) =>
    service(secret)
      .replace('sqlite::memory:', `postgres://u:${secret}@127.0.0.1:1/d`)
      .replace(/users: .*\n/, `encryption_keys: ["${Buffer.alloc(32, 1).toString('base64')}"]\n`),
};

const tables = { gateway: ofGateway, authorization: ofService } as const;

/** How many of the rows also run with the programs themselves, each in a separate process. */
const STARTED_EVERY = sized(16, 3, 1);

for (const [name, rows] of Object.entries(tables))
  t.test(
    `${Object.keys(rows).length} bad files of the ${name}: each is rejected without a piece of its secret`,
    async (t) => {
      const directory = temporaryFolder(t);
      const canaries = new Canaries();
      const files = Object.entries(rows).map(([row, spoilt], index) => {
        const secret = canary();
        canaries.add(row, secret);
        const file = join(directory, `${name}-${index}.yaml`);
        writeFileSync(file, spoilt(secret), { mode: 0o600 });
        return { row, file };
      });
      const say = async (row: string, args: readonly string[]) => {
        const { status, stdout, stderr } = await command(t, [...args]).ended();
        t.strictSame(canaries.leaksIn(stdout + stderr), [], `${row}: ${args[0]}`);
        t.match(stdout + stderr, /\S/, `${row}: ${args[0]} says something`);
        t.notMatch(stderr, /^ {4}at /m, `${row}: ${args[0]} without a stack`);
        return status;
      };
      t.equal(await say('all of them', ['check', ...files.map(({ file }) => file)]), 1);
      await inTurn(
        files.filter((_, index) => index % STARTED_EVERY === 0),
        async ({ row, file }) => {
          t.not(await say(row, [name, '--config', file]), 0, `${row}: it does not start`);
          await say(row, ['doctor', '--config', file]);
          if (name === 'gateway') await say(row, ['config', 'show', '--config', file]);
        },
        3,
      );
    },
  );
