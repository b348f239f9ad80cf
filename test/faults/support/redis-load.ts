import { setTimeout as pause } from 'node:timers/promises';
import { code, redeem } from '../../authorization/grant-flow.ts';
import { basic, type Running, shop } from '../../authorization/running-service.ts';
import { nonceOf, sendDigest } from '../../support/digest-caller.ts';
import { tell, tellWith } from './tell.ts';

/** A service whose throttles use one Redis, and two gateways whose nonces and rates use the same one. */
export interface Counted {
  readonly service: Running;
  readonly gateways: readonly [string, string];
}

/** A use of a nonce. */
interface Use {
  readonly nonce: string;
  readonly count: number;
}

/** Uses that were accepted, none of which may pass again. The latest ones are repeated constantly. */
const REMEMBERED = 40;

/** Milliseconds in which a revocation that was answered takes effect everywhere. */
const IN_FORCE = 2_000;

export class Observed {
  readonly answers = new Map<string, number>();
  /** Requests that passed and should not have. */
  readonly wrong: string[] = [];
  /** Requests that were refused without a reason. */
  readonly blamed: string[] = [];
  taken = 0;
  replays = 0;
  uses: Use[] = [];

  note(what: string, said: string): void {
    const key = `${what}: ${said}`;
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
  }

  took(use: Use): void {
    this.taken++;
    this.uses = [...this.uses.slice(1 - REMEMBERED), use];
  }
}

type Work = (counted: Counted, seen: Observed) => Promise<void>;

/** Counts of one nonce, each sent to both gateways at once. Only one of the two may accept it. */
const useNonce: Work = async ({ gateways: [one, two] }, seen) => {
  const nonce = await nonceOf(`${one}/digest/1`);
  for (let count = 1; count <= 4; count++) {
    const sent = [one, two].map((url) => sendDigest(`${url}/digest/1`, nonce, { count, keep: true }));
    const answers = await Promise.all(sent);
    const passed = answers.filter(({ status }) => status === 200).length;
    for (const { status, code = '' } of answers) seen.note('digest', `${status} ${code}`.trim());
    if (passed > 1) seen.wrong.push('one count of a nonce, twice at once');
    if (passed > 0) seen.took({ nonce, count });
    if (passed === 0) return;
  }
};

const replay: Work = async ({ gateways }, seen) => {
  const use = seen.uses[Math.floor(Math.random() * seen.uses.length)];
  const url = gateways[Math.random() < 0.5 ? 0 : 1];
  if (use !== undefined) await replayed(url, use, seen);
};

async function replayed(url: string, { nonce, count }: Use, seen: Observed): Promise<void> {
  const { status, code = '' } = await sendDigest(`${url}/digest/1`, nonce, { count, keep: true });
  seen.replays++;
  seen.note('replay', `${status} ${code}`.trim());
  if (status === 200) seen.wrong.push('a count of a nonce that was taken before');
}

/** All used nonces again, at both. */
export async function replayAll({ gateways }: Counted, seen: Observed): Promise<void> {
  for (const use of seen.uses) await Promise.all(gateways.map((url) => replayed(url, use, seen)));
}

/** For a code, a limit that is far away, or a token, no count can be lost. */
const redeemTwice: Work = async ({ service }, seen) => {
  const text = await code(service);
  const statuses = (await Promise.all([redeem(service, text), redeem(service, text)])).map(({ status }) => status);
  seen.note('code', statuses.sort().join(' and '));
  const won = statuses.filter((status) => status === 200).length;
  if (won > 1) seen.wrong.push('a code, twice');
  if (won === 0) seen.blamed.push(`a code: ${statuses.join(' and ')}`);
};

const jwtClient = { ...shop, id: 'shop-jwt' };

/** A token passes until it is revoked, and not for long after that. */
const revoke: Work = async ({ service, gateways }, seen) => {
  const token = await service.token({}, jwtClient);
  const before = await Promise.all(gateways.map((url) => tellWith(`${url}/orders/1`, token)));
  for (const { said } of before) {
    seen.note('token', said);
    if (said !== '200') seen.blamed.push(`a token: ${said}`);
  }
  if ((await service.post('/oauth2/revoke', { token }, basic(jwtClient))).status !== 200) return;
  await pause(IN_FORCE);
  for (const { said } of await Promise.all(gateways.map((url) => tellWith(`${url}/orders/1`, token)))) {
    seen.note('revoked token', said);
    if (said === '200') seen.wrong.push('a revoked token');
  }
};

const intrude: Work = async ({ service, gateways: [one] }, seen) => {
  const password = 'looking-glass';
  const { status, code = '' } = await sendDigest(`${one}/digest/1`, await nonceOf(`${one}/digest/1`), { password });
  seen.note('wrong password', `${status} ${code}`.trim());
  const { said } = await tell(`${service.url}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic({ ...shop, secret: 'cs_none' }) },
    body: 'grant_type=client_credentials',
  });
  seen.note('wrong secret', said);
  if (status === 200 || said === '200') seen.wrong.push('wrong credentials');
};

const shifts: readonly (readonly [times: number, work: Work])[] = [
  [3, useNonce],
  [3, replay],
  [2, redeemTwice],
  [3, revoke],
  [1, intrude],
];

/** Until it is stopped. */
export function countedLoad(counted: Counted, seen: Observed): { stop(): Promise<void> } {
  let stopped = false;
  const crew = shifts.flatMap(([times, work]) => Array.from({ length: times }, () => work));
  const over = crew.map(async (work) => {
    while (!stopped) {
      await work(counted, seen);
      await pause(10);
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(over);
    },
  };
}
