import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { isFullSize, isLong } from '../../support/long.ts';
import { postgresServer, skipWithoutPostgres } from '../../support/postgres.ts';
import { random } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { codeRecord, type TokenAnswer, verifier } from '../grant-flow.ts';
import { basic, callback, passwordHash, requests, web } from '../running-service.ts';
import { ready, spawnService, writeConfig } from '../service-process.ts';

const chains = 8;
const codesAtOnce = 4;

/** Starts PostgreSQL and programs, and opens services: 266 s in .ci/run on a busy machine. */
t.setTimeout(3_600_000);

/** One client's tokens for one user: the tokens that it received last, and the tokens that it used. */
interface Chain {
  refreshToken: string;
  /** Its grant was revoked, and the revocation was answered. */
  revoked: boolean;
}

interface Observed {
  readonly chains: Chain[];
  readonly revoked: string[];
  /** Code → answers 200. */
  readonly redeemed: Map<string, number>;
  lost: number;
  rotations: number;
}

const titleOf = (cycles: number) =>
  `\`kill -9\` under load, ${cycles} times: no code counts twice, no refresh token is lost, no revocation undone`;

const FEW = 5;
const MANY = 100;

const onPostgres = isFullSize ? MANY : FEW;
/** test/faults/kills-service.test.ts kills a service with SQLite a hundred times too. */
const onSqlite = isLong ? MANY : isFullSize ? 20 : FEW;

t.test(`advisory 64: SQLite: ${titleOf(onSqlite)}`, async (t) => {
  const directory = temporaryFolder(t);
  await holdsThrough(t, { directory, storage: 'sqlite:gatehouse.db', cycles: onSqlite });
});

t.test(`advisory 64: PostgreSQL: ${titleOf(onPostgres)}`, { skip: skipWithoutPostgres }, async (t) => {
  const server = await postgresServer(t);
  const storage = await server.database();
  await holdsThrough(t, { directory: temporaryFolder(t), storage, cycles: onPostgres });
});

interface Lives {
  readonly directory: string;
  readonly storage: string;
  /** The number of kills. */
  readonly cycles: number;
}

async function holdsThrough(t: Test, { directory, storage, cycles }: Lives): Promise<void> {
  const key = randomBytes(32).toString('base64');
  const config = writeConfig(directory, { storage, extra: extra(key) });
  const records = await openRecords(storage, { directory, clock: systemClock, encryptionKeys: [key] });
  t.teardown(() => records.close());
  const seen: Observed = { chains: [], revoked: [], redeemed: new Map(), lost: 0, rotations: 0 };
  for (let cycle = 0; cycle < cycles; cycle++) await oneLife(t, { config, records, seen });
  const service = spawnService(t, config);
  const url = await ready(service);
  for (const chain of seen.chains) await refresh(url, chain, seen);
  for (const refreshToken of seen.revoked) t.equal(await refreshStatus(url, refreshToken), 400, 'a revocation stands');
  const codes = [...seen.redeemed.keys()];
  for (const code of codes) await redeem(url, code, seen);
  t.equal(seen.lost, 0, `no refresh token is lost in ${seen.rotations} rotations`);
  t.strictSame(
    [...seen.redeemed.values()].filter((count) => count > 1),
    [],
    `${codes.length} codes`,
  );
  t.ok(seen.rotations > cycles && seen.revoked.length > 0 && codes.length > cycles, 'there was load');
}

function extra(key: string): string {
  return `
  - { client_id: web, client_secret: ${web.secret}, scope: orders.read, grant_types: [authorization_code, refresh_token, password], redirect_uris: ['${callback}'], retry_window: 1m }
users: [{ username: alice, password_argon2: '${passwordHash('wonderland')}' }]
login: { max_failures: 100000 }
encryption_keys: [${key}]
`;
}

interface Life {
  readonly config: string;
  readonly records: Records;
  readonly seen: Observed;
}

/** Each client continues where the previous process was killed. */
async function oneLife(t: Test, { config, records, seen }: Life): Promise<void> {
  const codes = await Promise.all(Array.from({ length: codesAtOnce }, () => newCode(records)));
  const service = spawnService(t, config);
  const url = await ready(service);
  const load = [
    ...Array.from({ length: chains }, (_, index) => follow(url, index, seen)),
    ...codes.map((code) => redeemUntilKilled(url, code, seen)),
  ];
  const { rotations } = seen;
  t.ok(await until(() => seen.rotations > rotations && seen.revoked.length > 0, 60_000), 'it is under load');
  // Long enough for many requests, and short enough for a hundred lives.
  await sleep(dice.below(100));
  service.child.kill('SIGKILL');
  t.equal(await service.ended, 'SIGKILL');
  await Promise.all(load);
}

const dice = random(64);

async function newCode(records: Records): Promise<string> {
  const text = makeOpaqueToken(tokenPrefixes.code);
  const now = Math.floor(Date.now() / 1000);
  const code = codeRecord(text, now, { expiresAt: now + 3000 });
  await records.saveCode({ code, consent: undefined, transaction: undefined });
  return text;
}

async function follow(url: string, index: number, seen: Observed): Promise<void> {
  try {
    for (let count = 1; ; count++) {
      const chain = seen.chains[index];
      if (chain === undefined || chain.revoked) seen.chains[index] = await begin(url);
      else if (count % 7 === 0) await revoke(url, chain, seen);
      else await refresh(url, chain, seen);
    }
  } catch (error) {
    if (!isKilled(error)) throw error;
  }
}

function isKilled(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === 'AbortError');
}

async function begin(url: string): Promise<Chain> {
  const response = await post(url, 'token', { grant_type: 'password', username: 'alice', password: 'wonderland' });
  const { refresh_token: refreshToken } = (await response.json()) as TokenAnswer;
  if (response.status !== 200) throw new Error(`the password grant answered ${response.status}`);
  return { refreshToken, revoked: false };
}

/** A client without an answer repeats the request with the token that it has. */
async function refresh(url: string, chain: Chain, seen: Observed): Promise<void> {
  if (chain.revoked) return;
  const response = await post(url, 'token', { grant_type: 'refresh_token', refresh_token: chain.refreshToken });
  const answer = (await response.json()) as TokenAnswer;
  if (response.status !== 200) {
    seen.lost++;
    chain.revoked = true;
  } else chain.refreshToken = answer.refresh_token;
  seen.rotations++;
}

async function refreshStatus(url: string, refresh_token: string): Promise<number> {
  return (await post(url, 'token', { grant_type: 'refresh_token', refresh_token })).status;
}

/** Without an answer, it is unknown whether the grant is alive. The chain is not checked again. */
async function revoke(url: string, chain: Chain, seen: Observed): Promise<void> {
  chain.revoked = true;
  if ((await post(url, 'revoke', { token: chain.refreshToken })).status === 200) seen.revoked.push(chain.refreshToken);
}

async function redeemUntilKilled(url: string, code: string, seen: Observed): Promise<void> {
  try {
    await sleep(dice.below(200));
    await redeem(url, code, seen);
  } catch (error) {
    if (!isKilled(error)) throw error;
  }
}

async function redeem(url: string, code: string, seen: Observed): Promise<void> {
  seen.redeemed.set(code, seen.redeemed.get(code) ?? 0);
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  const { status } = await post(url, 'token', form);
  if (status === 200) seen.redeemed.set(code, (seen.redeemed.get(code) ?? 0) + 1);
}

function post(url: string, endpoint: string, form: Record<string, string>): Promise<Response> {
  return requests(url).post(`/oauth2/${endpoint}`, form, basic(web));
}
