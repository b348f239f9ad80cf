import { setTimeout as pause } from 'node:timers/promises';
import { makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { codeRecord, type TokenAnswer, verifier } from '../../authorization/grant-flow.ts';
import { basic, callback, passwordHash, requests, shop, web } from '../../authorization/running-service.ts';
import { until } from '../../support/until.ts';

/**
 * In addition to the clients of `writeConfig`: a client whose refresh tokens may be repeated when the answer was lost.
 */
export function loadedClients(key: string): string {
  return `
  - { client_id: web, client_secret: ${web.secret}, scope: orders.read, grant_types: [authorization_code, refresh_token, password], redirect_uris: ['${callback}'], retry_window: 1m }
users: [{ username: alice, password_argon2: '${passwordHash('wonderland')}' }]
tokens: { max_a_minute: 1000000 }
login: { max_failures: 1000000 }
encryption_keys: [${key}]
`;
}

/** The tokens of one user at one client, as the client holds them. */
interface Family {
  refresh: string;
  readonly access: string[];
}

/** Every answer that was received: the promises that the service must keep. */
export class Ledger {
  /** Issued, and not ended. */
  active = new Set<string>();
  /** Ended, with an answer. */
  readonly ended = new Set<string>();
  /** Refresh tokens of families that ended, with an answer. */
  readonly endedFamilies = new Set<string>();
  readonly families = new Map<number, Family>();
  /** Code → how often it was answered with tokens. */
  readonly codes = new Map<string, number>();
  /** Each answer, and how often it occurred. */
  readonly answers = new Map<string, number>();
  /** Refusals of clients that made no mistake. */
  readonly blamed: string[] = [];
  /** Wrong credentials that were accepted. */
  readonly wrong: string[] = [];

  note(what: string): void {
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1);
  }

  answered(status: number): number {
    return [...this.answers].reduce((sum, [what, count]) => sum + (what.includes(` ${status}`) ? count : 0), 0);
  }

  /** Resolves when so many more have arrived. */
  async more(answers: number): Promise<void> {
    const before = this.answered(200);
    if (!(await until(() => this.answered(200) >= before + answers, 30_000))) throw new Error('nobody is answered');
  }
}

export interface Loaded {
  readonly url: string;
  readonly records: Records;
  readonly ledger: Ledger;
}

interface Answer extends Partial<TokenAnswer> {
  readonly status: number;
}

type Form = Record<string, string>;
type Client = { id: string; secret: string };

/** Sends a request. An answer that is neither 200 nor an outage counts as a refusal of the client. */
async function ask(loaded: Loaded, endpoint: string, form: Form, client: Client = web): Promise<Answer> {
  const answer = await told(loaded, endpoint, form, client);
  if (answer.status !== 200 && answer.status < 500)
    loaded.ledger.blamed.push(`${form.grant_type ?? endpoint}: ${said(answer)}`);
  return answer;
}

async function told({ url, ledger }: Loaded, endpoint: string, form: Form, client: Client): Promise<Answer> {
  const response = await requests(url).post(`/oauth2/${endpoint}`, form, basic(client));
  const text = await response.text();
  const answer = { ...(text === '' ? {} : JSON.parse(text)), status: response.status };
  ledger.note(`${form.grant_type ?? endpoint} ${said(answer)}`);
  return answer;
}

function said({ status, error }: Answer): string {
  return error === undefined ? String(status) : `${status} ${error}`;
}

type Work = (loaded: Loaded, index: number) => Promise<Answer>;

const issue: Work = async (loaded) => {
  const answer = await ask(loaded, 'token', { grant_type: 'client_credentials' }, shop);
  if (answer.access_token !== undefined) loaded.ledger.active.add(answer.access_token);
  return answer;
};

/** Without an answer, it is unknown whether it is active. */
const issueAndRevoke: Work = async (loaded) => {
  const { ledger } = loaded;
  const { access_token: token, ...issued } = await ask(loaded, 'token', { grant_type: 'client_credentials' }, shop);
  if (token === undefined) return issued;
  const answer = await ask(loaded, 'revoke', { token }, shop);
  if (answer.status === 200) ledger.ended.add(token);
  return answer;
};

/** A client without an answer, or with an outage, repeats the request with what it has. */
export const rotate: Work = async (loaded, index) => {
  const { families } = loaded.ledger;
  const family = families.get(index);
  const form: Form =
    family === undefined
      ? { grant_type: 'password', username: 'alice', password: 'wonderland' }
      : { grant_type: 'refresh_token', refresh_token: family.refresh };
  const answer = await ask(loaded, 'token', form);
  const { refresh_token: refresh, access_token: access } = answer;
  if (refresh !== undefined && access !== undefined)
    families.set(index, { refresh, access: [...(family?.access ?? []), access] });
  return answer;
};

const LIFE = 3;

/** A family rotates for a while, and is revoked; its last access tokens end with it. */
const rotateAndRevoke: Work = async (loaded, index) => {
  const { ledger } = loaded;
  const family = ledger.families.get(index);
  if (family === undefined || family.access.length < LIFE) return rotate(loaded, index);
  ledger.families.delete(index);
  const answer = await ask(loaded, 'revoke', { token: family.refresh });
  if (answer.status !== 200) return answer;
  ledger.endedFamilies.add(family.refresh);
  for (const token of family.access) ledger.ended.add(token);
  return answer;
};

const redeemOnce: Work = async (loaded) => {
  const answer = await redeem(loaded, await newCode(loaded), ask);
  if (answer.access_token !== undefined) loaded.ledger.active.add(answer.access_token);
  return answer;
};

/** The tokens of a repeated code may end (RFC 6749 §4.1.2), so no test relies on them. */
const redeemTwice: Work = async (loaded) => {
  const code = await newCode(loaded);
  const [one, two] = await Promise.allSettled([redeem(loaded, code, told), redeem(loaded, code, told)]);
  if (one.status === 'rejected') throw one.reason;
  if (two.status === 'rejected') throw two.reason;
  return one.value.status === 200 ? one.value : two.value;
};

export async function redeem(loaded: Loaded, code: string, by: typeof told = told): Promise<Answer> {
  const { codes } = loaded.ledger;
  codes.set(code, codes.get(code) ?? 0);
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  const answer = await by(loaded, 'token', form, web);
  if (answer.status === 200) codes.set(code, (codes.get(code) ?? 0) + 1);
  return answer;
}

async function newCode({ records }: Loaded): Promise<string> {
  const text = makeOpaqueToken(tokenPrefixes.code);
  const now = Math.floor(Date.now() / 1000);
  const code = codeRecord(text, now, { expiresAt: now + 3000 });
  await records.saveCode({ code, consent: undefined, transaction: undefined });
  return text;
}

/** An unknown client, and a token that was revoked. */
const intrude: Work = async (loaded) => {
  const { ledger } = loaded;
  const answer = await told(loaded, 'token', { grant_type: 'client_credentials' }, { ...shop, secret: web.secret });
  if (answer.status === 200) ledger.wrong.push('a wrong secret');
  const refresh_token = [...ledger.endedFamilies].at(-1);
  if (refresh_token === undefined) return answer;
  const refreshed = await told(loaded, 'token', { grant_type: 'refresh_token', refresh_token }, web);
  if (refreshed.status === 200) ledger.wrong.push('a revoked refresh token');
  return refreshed;
};

/** About twenty requests at a time. */
const shifts: readonly (readonly [times: number, work: Work])[] = [
  [5, issue],
  [3, issueAndRevoke],
  [6, rotateAndRevoke],
  [2, redeemOnce],
  [2, redeemTwice],
  [1, intrude],
];

export interface Load {
  /** Resolves when the last request is answered, or broken. */
  stop(): Promise<void>;
}

/** `onBroken`: what happens to a worker whose connection broke, or that cannot save a code. */
export function load(loaded: Loaded, onBroken: 'ends' | 'goes on'): Load {
  let stopped = false;
  const crew = shifts.flatMap(([times, work]) => Array.from({ length: times }, () => work));
  const over = crew.map(async (work, index) => {
    while (!stopped) {
      const answer = await work(loaded, index).catch(brokenOff);
      if (answer === undefined && onBroken === 'ends') return;
      if (answer === undefined || answer.status >= 500) await pause(10);
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(over);
    },
  };
}

/** The connection to the service, or of this process to the store. */
function brokenOff(error: unknown): undefined {
  const isExpected =
    error instanceof TypeError || (error instanceof Error && ['AbortError', 'StorageUnavailable'].includes(error.name));
  if (!isExpected) throw error;
}
