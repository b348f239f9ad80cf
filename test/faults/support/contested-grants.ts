import { randomBytes } from 'node:crypto';
import { makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import { sha256 } from '../../../src/base/secret.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { codeRecord, verifier } from '../../authorization/grant-flow.ts';
import { basic, callback, requests, web } from '../../authorization/running-service.ts';
import { askUntilAnswered, type Heard, type Nodes } from './two-nodes.ts';

/** A credential that counts once, and is used many times at once. */
export interface Contested {
  readonly kind: 'code' | 'refresh';
  readonly text: string;
  readonly subject: string;
  readonly clientId: 'web' | 'web-jwt';
  readonly scope: string;
  /** The access token that was issued with a refresh token. */
  readonly access: string | undefined;
  readonly answers: Heard[];
  /** Requests without an answer, which may have counted. */
  lost: number;
}

const now = () => Math.floor(Date.now() / 1000);
const HOUR = 3_600;
export const READ = 'orders.read';
export const BOTH = 'orders.read orders.write';

type Of = Pick<Contested, 'subject' | 'clientId' | 'scope'>;

/** As the consent page would have saved it. */
export async function newCode(records: Records, of: Of): Promise<Contested> {
  const text = makeOpaqueToken(tokenPrefixes.code);
  const code = codeRecord(text, now(), { ...of, username: of.subject, expiresAt: now() + HOUR });
  await records.saveCode({ code, consent: undefined, transaction: undefined });
  return { ...of, kind: 'code', text, access: undefined, answers: [], lost: 0 };
}

/** As an exchange would have saved it: a refresh token, and the opaque access token with it. */
export async function newRefreshToken(records: Records, of: Of): Promise<Contested> {
  const [text, access] = [makeOpaqueToken(tokenPrefixes.refreshToken), makeOpaqueToken(tokenPrefixes.accessToken)];
  const { subject, clientId, scope } = of;
  const times = { issuedAt: now(), expiresAt: now() + HOUR };
  const shared = {
    clientId,
    subject,
    username: subject,
    scope,
    audience: ['https://api.example.com'],
    authTime: now(),
  };
  const id = randomBytes(16).toString('base64url');
  const grant = { ...shared, id, createdAt: now(), expiresAt: now() + HOUR, tokensUntil: now() + HOUR };
  await records.saveTokens({
    grant,
    access: { ...shared, ...times, hash: sha256(access), grantId: id, claims: {} },
    refresh: { ...times, hash: sha256(text), grantId: id, scope, audience: shared.audience },
  });
  return { ...of, kind: 'refresh', text, access, answers: [], lost: 0 };
}

function formOf({ kind, text }: Contested): Record<string, string> {
  if (kind === 'refresh') return { grant_type: 'refresh_token', refresh_token: text };
  return { grant_type: 'authorization_code', code: text, redirect_uri: callback, code_verifier: verifier };
}

/** So many requests at once, at every node in turn. Each finally gets an answer. */
export async function contest(nodes: Nodes, item: Contested, times: number): Promise<void> {
  const send = (url: string) =>
    requests(url).post('/oauth2/token', formOf(item), basic({ id: item.clientId, secret: web.secret }));
  const one = async (index: number) =>
    item.answers.push(await askUntilAnswered(nodes, index % nodes.count, send, () => item.lost++));
  await Promise.all(Array.from({ length: times }, (_, index) => one(index)));
}

export function winnersOf({ answers }: Contested): readonly Heard[] {
  return answers.filter(({ status }) => status === 200);
}
