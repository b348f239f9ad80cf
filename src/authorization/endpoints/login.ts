import type { FastifyReply } from 'fastify';
import type { Outage } from '../../base/verdict.ts';
import { OAuthError, type OAuthErrorCode, oauthErrors } from '../../oauth/errors.ts';
import type { Account } from '../accounts.ts';
import { authenticateUser } from '../authenticate-user.ts';
import { encodeForm, redirect } from '../browser/authorization-response.ts';
import { readCarried } from '../browser/carried-parameters.ts';
import type { Exchange } from '../browser/exchange.ts';
import { type Front, type PageEndpoint, pagePaths } from '../browser/front.ts';
import { judgeAddress } from '../browser/judge-request.ts';
import { readPosted } from '../browser/posted.ts';
import { type Asked, showLogin } from '../browser/show-login.ts';
import type { Transaction } from '../browser/transactions.ts';
import { signIn } from '../browser/visitor.ts';
import type { LoginView } from '../pages/pages.ts';

/** One login as it was typed. */
interface Typed extends Exchange {
  readonly asked: Asked | undefined;
  readonly username: string;
  readonly password: string;
}

/** Shown by whatever needs a login; here it is answered. */
export function loginEndpoints(front: Front): readonly PageEndpoint[] {
  const row = { name: 'login', paths: [pagePaths.login] } as const;
  return [
    { ...row, method: 'GET', handle: async (_request, reply) => redirect(reply, front.paths.account) },
    { ...row, method: 'POST', handle: (request, reply) => receive(front, { request, reply }) },
  ];
}

async function receive(front: Front, exchange: Exchange): Promise<FastifyReply> {
  const { form, transaction } = readPosted(front, exchange.request, 'login');
  const asked = await askedBy(front, exchange, transaction);
  const [username = '', password = ''] = [form.get('username'), form.get('password')];
  return logIn(front, { ...exchange, asked, username, password });
}

async function askedBy(
  { service }: Front,
  { request }: Exchange,
  { parameters }: Transaction,
): Promise<Asked | undefined> {
  if (parameters === undefined) return undefined;
  return { addressed: await judgeAddress(service, readCarried(service, parameters), request), parameters };
}

async function logIn(front: Front, typed: Typed): Promise<FastifyReply> {
  const { request: caller, asked, username, password } = typed;
  const clientId = asked?.addressed.client.id;
  const outcome = await authenticateUser(front.service, { username, password, caller, clientId });
  switch (outcome.kind) {
    case 'authenticated':
      return welcome(front, typed, outcome.account);
    case 'refused':
      return showAgain(front, typed, 'login_refused', outcome);
    case 'throttled':
      typed.reply.header('retry-after', String(outcome.retryAfter));
      return showAgain(front, typed, 'too_many_attempts', outcome);
    case 'outage':
      throw busy(outcome);
  }
}

function busy({ dependency, retryAfter }: Outage): OAuthError {
  const headers = { 'retry-after': String(retryAfter) };
  return new OAuthError('temporarily_unavailable', { headers, detail: dependency });
}

async function welcome(front: Front, { asked, ...exchange }: Typed, account: Account): Promise<FastifyReply> {
  await signIn(front, exchange, account);
  const { account: alone, authorize } = front.paths;
  return redirect(exchange.reply, asked === undefined ? alone : `${authorize}?${encodeForm(asked.parameters)}`);
}

/** The same page for a wrong password and for an unknown user. */
function showAgain(
  front: Front,
  { request, reply, asked, username }: Typed,
  code: OAuthErrorCode,
  failure: NonNullable<LoginView['failure']>,
): FastifyReply {
  request.errorCode = code;
  reply.code(oauthErrors[code].status);
  return showLogin(front, { request, reply, asked, username, failure });
}
