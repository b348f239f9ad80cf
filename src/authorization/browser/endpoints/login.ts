import type { FastifyReply } from 'fastify';
import { type OAuthErrorCode, oauthErrors } from '../../../oauth/errors.ts';
import { authenticatedAccount, authenticateUser } from '../../login/authenticate-user.ts';
import type { LoginView } from '../../pages/pages.ts';
import type { Account } from '../../people/accounts.ts';
import { encodeForm, redirect } from '../authorization-response.ts';
import { readCarried } from '../carried-parameters.ts';
import { readCsrfForm } from '../csrf-form.ts';
import type { BrowserExchange } from '../exchange.ts';
import { judgeAddress } from '../judge-request.ts';
import { type PageContext, type PageEndpoint, pagePaths } from '../page-context.ts';
import { type LoginRequest, showLogin } from '../show-login.ts';
import { signIn } from '../signed-in-user.ts';
import type { Transaction } from '../transactions.ts';

/** The input of one login form. */
interface Typed extends BrowserExchange {
  readonly asked: LoginRequest | undefined;
  readonly username: string;
  readonly password: string;
}

/** Other pages show the login form. This endpoint receives it. */
export function loginEndpoints(front: PageContext): readonly PageEndpoint[] {
  const row = { name: 'login', paths: [pagePaths.login] } as const;
  return [
    { ...row, method: 'GET', handle: async (_request, reply) => redirect(reply, front.paths.account) },
    { ...row, method: 'POST', handle: (request, reply) => receive(front, { request, reply }) },
  ];
}

async function receive(front: PageContext, exchange: BrowserExchange): Promise<FastifyReply> {
  const { form, transaction } = readCsrfForm(front, exchange.request, 'login');
  const asked = await askedBy(front, exchange, transaction);
  const [username = '', password = ''] = [form.get('username'), form.get('password')];
  return logIn(front, { ...exchange, asked, username, password });
}

async function askedBy(
  { service }: PageContext,
  { request }: BrowserExchange,
  { parameters }: Transaction,
): Promise<LoginRequest | undefined> {
  if (parameters === undefined) return undefined;
  return { addressed: await judgeAddress(service, readCarried(service, parameters), request), parameters };
}

async function logIn(front: PageContext, typed: Typed): Promise<FastifyReply> {
  const { request: caller, asked, username, password } = typed;
  const clientId = asked?.addressed.client.id;
  const knownBrowser = front.knownCookie.read(caller);
  const outcome = await authenticateUser(front.service, { username, password, caller, clientId, knownBrowser });
  switch (outcome.kind) {
    case 'refused':
      return showAgain(front, typed, 'login_refused', outcome);
    case 'throttled':
      typed.reply.header('retry-after', String(outcome.retryAfter));
      return showAgain(front, typed, 'too_many_attempts', outcome);
    default:
      return welcome(front, typed, authenticatedAccount(outcome));
  }
}

async function welcome(front: PageContext, typed: Typed, account: Account): Promise<FastifyReply> {
  const { asked, ...exchange } = typed;
  // The password changed during the check, so it is wrong now.
  if (!(await signIn(front, exchange, account))) return showAgain(front, typed, 'login_refused', { kind: 'refused' });
  const { account: alone, authorize } = front.paths;
  return redirect(exchange.reply, asked === undefined ? alone : `${authorize}?${encodeForm(asked.parameters)}`);
}

/** Shows the same page for a wrong password and for an unknown user. */
function showAgain(
  front: PageContext,
  { request, reply, asked, username }: Typed,
  code: OAuthErrorCode,
  failure: NonNullable<LoginView['failure']>,
): FastifyReply {
  request.errorCode = code;
  reply.code(oauthErrors[code].status);
  return showLogin(front, { request, reply, asked, username, failure });
}
