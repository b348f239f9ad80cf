import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { caller, credentialsFor, nonceOf } from '../support/digest-caller.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { open } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { countsForLong, redisServer, skipWithoutRedis } from '../support/redis.ts';
import { requestText } from '../support/request-text.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const skip = skipWithoutRedis;
const MOST = 3;
const GUESSES = 30;

/** As Apache's htpasswd wrote it; quick to check. */
const [RIGHT, HASH] = ['Circle of Life', '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ='];

async function scene(t: Test) {
  const redis = await redisServer(t);
  const client = new Redis(redis.url);
  await countsForLong(client);
  client.disconnect();
  const digest = { realm: caller.realm, users: userFile(t, digestLines(caller.name, caller.realm, caller.password)) };
  const basic = { users: userFile(t, `alice:${HASH}\n`) };
  const routes = [
    { match: { path: '/digest' }, auth: 'digest', digest, access: 'authenticated' },
    { match: { path: '/basic' }, auth: 'basic', basic, access: 'authenticated' },
  ];
  const login = { max_failures: MOST, window: '15m' };
  const shared = { routes, login, counters: redis.url, nonce_keys: [randomBytes(32).toString('base64')] };
  const { url, port } = await gateway(t, behind(await echoUpstream(t), shared));
  /** All of them are in progress before the first is checked. The right one is a few before the last. */
  const burst = async (path: string, credentials: (index: number, isRight: boolean) => string) => {
    const clients = await Promise.all(Array.from({ length: GUESSES }, () => open(t, port)));
    redis.freeze();
    for (const [index, client] of clients.entries()) {
      const authorization = credentials(index, index === GUESSES - 5);
      client.send(requestText({ target: path, headers: [['Authorization', authorization]] }));
    }
    // Much shorter than a gateway waits for Redis.
    await pause(30);
    redis.thaw();
    const codes = (await Promise.all(clients.map((client) => client.read()))).map(told);
    return [...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length] as const);
  };
  return { url, burst };
}

function told(answer: RawResponse | undefined): string {
  const { code } = answer?.status === 200 ? {} : JSON.parse(answer?.body.toString() ?? '{}');
  return `${answer?.status} ${code}`;
}

/** The right one passes if it came before one wrong guess too many, as it would one after another. */
function assertNoMore(t: Test, told: ReadonlyMap<string, number>): void {
  t.equal(told.get('401 password_wrong'), MOST, 'wrong ones are told to be wrong up to the limit');
  const passed = told.get('200 undefined') ?? 0;
  t.ok(passed <= 1);
  t.equal(told.get('429 login_throttled'), GUESSES - MOST - passed, 'and of the rest nothing is told');
}

t.test('T30: a burst of Digest guesses gets no more verdicts than guesses one after another', { skip }, async (t) => {
  const { url, burst } = await scene(t);
  const nonce = await nonceOf(`${url}/digest`);
  const credentials = (index: number, isRight: boolean) =>
    credentialsFor('/digest', nonce, index + 1, isRight ? caller.password : `guess ${index}`);
  assertNoMore(t, new Map(await burst('/digest', credentials)));
});

t.test('T30: a burst of Basic guesses gets no more verdicts than guesses one after another', { skip }, async (t) => {
  const { burst } = await scene(t);
  const credentials = (index: number, isRight: boolean) => formatBasic('alice', isRight ? RIGHT : `guess ${index}`);
  assertNoMore(t, new Map(await burst('/basic', credentials)));
});
