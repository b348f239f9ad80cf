import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { openRecords } from '../../src/storage/open.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { codeRecord } from '../authorization/grant-flow.ts';
import { basic, callback, gateway, passwordHash, requests, web } from '../authorization/running-service.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { type Random, random } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  BOTH,
  type Contested,
  contest,
  newCode,
  newRefreshToken,
  READ,
  winnersOf,
} from './support/contested-grants.ts';
import { sized } from './support/size.ts';
import { askUntilAnswered, command, type Heard, type Nodes, startNodes } from './support/two-nodes.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(3_600_000);

const WAVES = sized(1, 2, 10);
/** Codes, and as many refresh tokens, of one wave. */
const ITEMS = sized(16, 100, 100);
const TRIES = { code: 50, refresh: 20 } as const;
/** Codes and refresh tokens that several clients use at a time. */
const AT_ONCE = 4;
const FILE_USERS = 4;
const STORE_USERS = 12;

const now = () => Math.floor(Date.now() / 1000);

interface Scene {
  readonly nodes: Nodes;
  readonly records: Records;
  /** authorization.yaml, in which each user of the file has the password with this number. */
  readonly config: string;
  readonly writeFile: (passwords: readonly number[]) => void;
  readonly passwords: number[];
  readonly dice: Random;
}

function fileOf(storage: string, key: string, passwords: readonly number[]): string {
  const client = `client_secret: ${web.secret}, scope: ${BOTH}, grant_types: [authorization_code, refresh_token], redirect_uris: ['${callback}']`;
  const users = passwords.map(
    (password, index) => `{ username: file${index}, password_argon2: '${passwordHash(`${password}`)}' }`,
  );
  return `version: 1
issuer: http://localhost:8081
listen: 127.0.0.1:0
storage: ${storage}
resources: [https://api.example.com]
scopes: { orders.read: Read, orders.write: Change }
tokens: { refresh: { reuse_leeway: 10m }, max_a_minute: 1000000 }
encryption_keys: [${key}]
clients:
  - { client_id: web, ${client} }
  - { client_id: web-jwt, access_token_format: jwt, ${client} }
  - { client_id: gateway, client_secret: ${gateway.secret}, grant_types: [], introspect: true }
users: [${users.join(', ')}]
`;
}

async function scene(t: Test, storage: string, count: number): Promise<Scene> {
  const directory = temporaryFolder(t);
  const key = randomBytes(32).toString('base64');
  const config = join(directory, 'authorization.yaml');
  const writeFile = (passwords: readonly number[]) => writeFileSync(config, fileOf(storage, key, passwords));
  const passwords = Array.from({ length: FILE_USERS }, () => 0);
  writeFile(passwords);
  const records = await openRecords(storage, { directory, clock: systemClock, encryptionKeys: [key] });
  t.teardown(() => records.close());
  for (let index = 0; index < STORE_USERS; index++) {
    const name = `store${index}`;
    const user = { subject: name, username: name, passwordHash: passwordHash('0'), name: undefined, claims: {} };
    await records.addAccount({ ...user, createdAt: now() });
  }
  return { nodes: await startNodes(t, config, count), records, config, writeFile, passwords, dice: random(18) };
}

/** What was ended in one wave, with an answer. */
interface Ended {
  /** Users whose password was changed. */
  readonly subjects: Set<string>;
  /** Users who refused `orders.write`. */
  readonly narrowed: Set<string>;
  /** JWTs from before the replacement of the keys. */
  readonly jwts: Set<unknown>;
  rotated: boolean;
}

type Disturbance = (scene: Scene, ended: Ended, items: readonly Contested[]) => Promise<void>;

const narrow =
  (subject: string): Disturbance =>
  async ({ records }, { narrowed }) => {
    for (const clientId of ['web', 'web-jwt']) {
      const code = codeRecord(randomBytes(16).toString('hex'), now(), { subject, username: subject, clientId });
      const consent = { subject, clientId, asked: BOTH.split(' '), granted: [READ], grantedAt: now() };
      await records.saveCode({ code, consent, transaction: undefined });
    }
    narrowed.add(subject);
  };

const changePassword =
  (subject: string): Disturbance =>
  async ({ records }, { subjects }) => {
    await records.setPassword({ username: subject, passwordHash: passwordHash('next'), now: now() });
    subjects.add(subject);
  };

/** The file changes, and a node is killed and starts with it. */
const changeInFile =
  (user: number): Disturbance =>
  async ({ nodes, passwords, writeFile, dice }, { subjects }) => {
    passwords[user] = (passwords[user] ?? 0) + 1;
    writeFile(passwords);
    await nodes.killed(dice.below(nodes.count));
    subjects.add(`file${user}`);
  };

const kill: Disturbance = ({ nodes, dice }) => nodes.killed(dice.below(nodes.count));

const rotateKeys: Disturbance = async ({ config }, ended, items) => {
  const before = items.filter(({ clientId }) => clientId === 'web-jwt').flatMap(winnersOf);
  ended.rotated = true;
  await command(['key', 'rotate', '--now'], config);
  for (const { body } of before) ended.jwts.add(body.access_token);
};

/** Half of the users do not change. */
function disturbances({ dice }: Scene): readonly Disturbance[] {
  const all = [
    ...[0, 1, 2].map((index) => narrow(`store${index}`)),
    ...[3, 4, 5].map((index) => changePassword(`store${index}`)),
    narrow('file0'),
    changeInFile(1),
    kill,
    kill,
    rotateKeys,
  ];
  return all
    .map((each) => ({ each, at: dice.below(1_000_000) }))
    .sort((one, other) => one.at - other.at)
    .map(({ each }) => each);
}

async function newItems({ records, dice }: Scene): Promise<readonly Contested[]> {
  const subjects = [
    ...Array.from({ length: STORE_USERS }, (_, index) => `store${index}`),
    ...Array.from({ length: FILE_USERS }, (_, index) => `file${index}`),
  ];
  const items: Contested[] = [];
  for (let index = 0; index < ITEMS; index++) {
    const subject = subjects[index % subjects.length] as string;
    for (const make of [newCode, newRefreshToken])
      items.push(
        await make(records, { subject, clientId: dice.pick(['web', 'web-jwt']), scope: dice.pick([READ, BOTH]) }),
      );
  }
  return items;
}

/** Each disturbance comes after a number of items, whatever the machine's pace. */
async function wave(scene: Scene): Promise<{ items: readonly Contested[]; ended: Ended }> {
  const items = await newItems(scene);
  const ended: Ended = { subjects: new Set(), narrowed: new Set(), jwts: new Set(), rotated: false };
  const todo = disturbances(scene);
  const order = items
    .map((item) => ({ item, at: scene.dice.below(1_000_000) }))
    .sort((one, other) => one.at - other.at);
  const every = Math.ceil(items.length / (todo.length + 1));
  let disturbed = Promise.resolve();
  let begun = 0;
  const work = async () => {
    while (begun < order.length) {
      const index = begun++;
      const next = index > 0 && index % every === 0 ? todo[index / every - 1] : undefined;
      if (next !== undefined) disturbed = disturbed.then(() => next(scene, ended, items));
      const { item } = order[index] as (typeof order)[number];
      await contest(scene.nodes, item, TRIES[item.kind]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await disturbed;
  // a start reads the keys, so that no node continues with a replaced key
  for (let node = 0; node < scene.nodes.count; node++) await scene.nodes.killed(node);
  return { items, ended };
}

function isEnded({ subject, scope }: Contested, { subjects, narrowed }: Ended): boolean {
  return subjects.has(subject) || (narrowed.has(subject) && scope === BOTH);
}

interface Told {
  readonly winners: number;
  readonly lost: number;
  readonly ended: number;
}

/** Asks every node whether a token is active. */
async function active({ nodes }: Scene, token: unknown): Promise<string> {
  const ask = (url: string) => requests(url).post('/oauth2/introspect', { token: String(token) }, basic(gateway));
  const told = await Promise.all(Array.from({ length: nodes.count }, (_, node) => askUntilAnswered(nodes, node, ask)));
  return [...new Set(told.map(({ body }) => (body.active === true ? 'active' : 'inactive')))].join(' and ');
}

async function refreshed({ nodes }: Scene, clientId: string, token: unknown): Promise<string> {
  const form = { grant_type: 'refresh_token', refresh_token: String(token) };
  const ask = (url: string) => requests(url).post('/oauth2/token', form, basic({ id: clientId, secret: web.secret }));
  return (await askUntilAnswered(nodes, 0, ask)).status === 200 ? 'active' : 'inactive';
}

type Findings = readonly (readonly [what: string, found: unknown, wanted: unknown])[];

/** What an item is worth once its wave is over. */
async function findingsOf(scene: Scene, item: Contested, ended: Ended): Promise<Findings> {
  const { kind, access, lost } = item;
  const winners = winnersOf(item);
  const isOver = isEnded(item, ended);
  const isMissing = winners.length === 0 && !isOver && lost === 0;
  const older = access !== undefined && isOver ? await active(scene, access) : 'inactive';
  // reuse of a code ends everything (RFC 6749 §4.1.2)
  const isDead = isOver || kind === 'code';
  const won = await Promise.all(winners.map((winner) => findingsOfWinner(scene, { item, winner, ended, isDead })));
  return [
    ['winners', isMissing ? 'none' : Math.max(1, winners.length), 1],
    ['an older access token', older, 'inactive'],
    ...won.flat(),
  ];
}

interface Won {
  readonly item: Contested;
  readonly winner: Heard;
  readonly ended: Ended;
  readonly isDead: boolean;
}

async function findingsOfWinner(scene: Scene, { item, winner, ended, isDead }: Won): Promise<Findings> {
  const { access_token, refresh_token, scope } = winner.body;
  const wanted = isDead ? 'inactive' : 'active';
  const isReplaced = ended.jwts.has(access_token);
  // a JWT that was created during the replacement may have either key
  const isEither = !isDead && !isReplaced && ended.rotated && item.clientId === 'web-jwt';
  const worth = isEither ? wanted : await active(scene, access_token);
  return [
    ['scope', scope, item.scope],
    ['access token', worth, isReplaced ? 'inactive' : wanted],
    ['refresh token', await refreshed(scene, item.clientId, refresh_token), wanted],
  ];
}

interface Told {
  readonly winners: number;
  readonly lost: number;
  readonly ended: number;
}

async function judge(t: Test, scene: Scene, items: readonly Contested[], ended: Ended): Promise<Told> {
  const wrong: unknown[] = [];
  for (const item of items)
    for (const [what, found, wanted] of await findingsOf(scene, item, ended))
      if (found !== wanted) wrong.push({ what, found, wanted, ...item, answers: item.answers.length });
  t.strictSame(wrong, []);
  return {
    winners: items.flatMap(winnersOf).length,
    lost: items.reduce((sum, { lost }) => sum + lost, 0),
    ended: items.filter((item) => isEnded(item, ended)).length,
  };
}

async function holds(t: Test, storage: string, count: number): Promise<void> {
  const it = await scene(t, storage, count);
  for (let index = 0; index < WAVES; index++) {
    const { items, ended } = await wave(it);
    const { winners, lost, ended: over } = await judge(t, it, items, ended);
    t.comment(`${items.length} items, ${winners} winners, ${over} ended meanwhile, ${lost} requests without an answer`);
    t.ok(winners > items.length / 2, 'there were winners');
    t.ok(over > 0 && ended.rotated, 'and ends');
  }
}

const title = `${WAVES * ITEMS} codes × 50 and as many refresh tokens × 20, while consents are narrowed, passwords changed, keys replaced and nodes killed: each succeeds once, and nothing that was ended stays valid`;

t.test(`SQLite: ${title}`, (t) => holds(t, 'sqlite:gatehouse.db', 1));

t.test(`two nodes on PostgreSQL: ${title}`, { skip: skipWithoutPostgres }, async (t) => {
  const server = await postgresServer(t);
  await holds(t, await server.database(), 2);
});
