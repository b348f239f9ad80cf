import type { FastifyReply } from 'fastify';
import { addressBlock } from '../../../base/client-address.ts';
import { seconds } from '../../../base/clock.ts';
import { scopeList } from '../../../oauth/scope.ts';
import type { ConnectedApp as ConnectedAppRecord, SessionRecord } from '../../../storage/records/records.ts';
import type { RegisteredClient } from '../../clients/clients.ts';
import {
  type AccountView,
  accountPage,
  type ConnectedAppView,
  pageHeaders,
  type SessionView,
  type Texts,
} from '../../pages/pages.ts';
import { redirect } from '../authorization-response.ts';
import { beginTransaction, type CsrfForm, readCsrfFormOfUser } from '../csrf-form.ts';
import type { BrowserExchange } from '../exchange.ts';
import { type PageContext, type PageEndpoint, pagePaths } from '../page-context.ts';
import { scopeDescription } from '../scope-description.ts';
import { personOf } from '../show-consent.ts';
import { showLogin } from '../show-login.ts';
import { shownApplication } from '../shown-application.ts';
import {
  endBrowserSession,
  signOutEverywhere as endVisits,
  findSignedInUser,
  type SignedInUser,
} from '../signed-in-user.ts';
import { doneAddress, readDone } from '../took-effect.ts';

/** The user's connected applications and sessions. Each can be ended. */
export function accountEndpoints(front: PageContext): readonly PageEndpoint[] {
  const backToPage = async (_request: unknown, reply: FastifyReply) => redirect(reply, front.paths.account);
  return [
    {
      name: 'account',
      method: 'GET',
      paths: [pagePaths.account],
      handle: (request, reply) => show(front, { request, reply }),
    },
    {
      name: 'account',
      method: 'GET',
      paths: [pagePaths.disconnect, pagePaths.endSession, pagePaths.signOutEverywhere],
      handle: backToPage,
    },
    signOutEverywhere(front),
    action(front, { name: 'disconnect', paths: [pagePaths.disconnect], carryOut: disconnect, done: 'disconnected' }),
    action(front, { name: 'end_session', paths: [pagePaths.endSession], carryOut: endSession, done: 'session_ended' }),
  ];
}

async function show(front: PageContext, exchange: BrowserExchange): Promise<FastifyReply> {
  const visitor = await findSignedInUser(front, exchange.request);
  if (visitor === undefined) return showLogin(front, { ...exchange, asked: undefined });
  const site = front.siteFor(exchange.request);
  const page = accountPage(site, await accountView(front, exchange, { visitor, texts: site.texts }));
  return exchange.reply.headers(pageHeaders()).send(page);
}

async function accountView(
  front: PageContext,
  exchange: BrowserExchange,
  { visitor, texts }: { readonly visitor: SignedInUser; readonly texts: Texts },
): Promise<AccountView> {
  const { session, account } = visitor;
  const { records, clock } = front.service;
  const lifetime = session.expiresAt - seconds(clock);
  const csrf = beginTransaction(front, exchange, { kind: 'account', session: session.id, lifetime });
  const done = readDone(exchange.request, dones, clock);
  const [apps, sessions, guesses] = await Promise.all([
    records.listConnectedApps(account.subject, seconds(clock)),
    records.listSessions(account.subject, seconds(clock)),
    guessesOf(front, account),
  ]);
  return {
    person: personOf(account),
    apps: await Promise.all(apps.map((app) => connectedApp(front, app, texts))),
    sessions: sessions.map((each) => sessionView(each.id === session.id ? session : each, session)).sort(latestFirst),
    disconnectForm: { action: front.paths.disconnect, csrf },
    endSessionForm: { action: front.paths.endSession, csrf },
    signOutForm: { action: front.paths.signOut, csrf },
    signOutEverywhereForm: { action: front.paths.signOutEverywhere, csrf },
    ...(guesses && { guesses }),
    ...(done && { done }),
  };
}

async function guessesOf(
  { service }: PageContext,
  { username }: SignedInUser['account'],
): Promise<AccountView['guesses']> {
  const { count, closedFor } = await service.loginAttempts.guesses(username);
  if (count === 0) return undefined;
  return { count, ...(closedFor !== undefined && { closedUntil: service.clock.now() + closedFor * 1000 }) };
}

const dones = ['disconnected', 'session_ended'] as const;

/** A client that is no longer registered can still be disconnected. */
async function connectedApp(
  { service }: PageContext,
  app: ConnectedAppRecord,
  texts: Texts,
): Promise<ConnectedAppView> {
  const client = await service.clients.glance(app.clientId);
  return {
    clientId: app.clientId,
    application: applicationOf(client, app.clientId),
    scopes: scopeList(app.scope).map((scope) => scopeDescription(service.config, scope, texts)),
    since: app.grantedAt * 1000,
    ...(app.usedAt !== undefined && { lastUsed: app.usedAt * 1000 }),
  };
}

function applicationOf(client: RegisteredClient | undefined, id: string): ConnectedAppView['application'] {
  const redirectUri = client?.redirectUris[0] ?? id;
  return client === undefined ? { name: id, redirectUri } : shownApplication({ client, redirectUri });
}

/** The session of this browser comes first. */
function latestFirst(one: SessionView, other: SessionView): number {
  if (one.current !== other.current) return one.current ? -1 : 1;
  return (other.lastSeen ?? other.since) - (one.lastSeen ?? one.since);
}

function sessionView(
  { id, userAgent, address = '', authenticatedAt, seenAt }: SessionRecord,
  current: SessionRecord,
): SessionView {
  return {
    id,
    current: id === current.id,
    address,
    isSameNetwork: addressBlock(address) === addressBlock(current.address ?? ''),
    since: authenticatedAt * 1000,
    ...(seenAt !== undefined && { lastSeen: seenAt * 1000 }),
    ...(userAgent !== undefined && { userAgent }),
  };
}

interface Action {
  readonly name: string;
  readonly paths: readonly string[];
  readonly carryOut: (
    front: PageContext,
    posted: CsrfForm & BrowserExchange & { readonly visitor: SignedInUser },
  ) => Promise<void>;
  readonly done: (typeof dones)[number];
}

function action(front: PageContext, { name, paths, carryOut, done }: Action): PageEndpoint {
  return {
    name,
    method: 'POST',
    paths,
    async handle(request, reply) {
      const posted = await readCsrfFormOfUser(front, request, 'account');
      await carryOut(front, { ...posted, request, reply });
      return redirect(reply, doneAddress(front.paths.account, done, seconds(front.service.clock)));
    },
  };
}

const disconnect: Action['carryOut'] = async ({ service }, { form, visitor, request }) => {
  const clientId = form.require('client_id');
  const { subject: sub, username } = visitor.account;
  const ended = await service.records.disconnectApp({ subject: sub, clientId, now: seconds(service.clock) });
  // The form may name anything. So only a connected application is logged.
  if (ended === undefined) return;
  const facts = { client_id: clientId, sub, username, address: request.ip, request_id: request.id };
  service.audit.record('app_disconnected', facts);
};

const endSession: Action['carryOut'] = async (front, { form, visitor, request }) => {
  const { service } = front;
  const { subject: sub, username } = visitor.account;
  const wasThere = await endBrowserSession(front, { session: { id: form.require('session'), subject: sub } });
  if (wasThere) service.audit.record('session_ended', { sub, username, address: request.ip, request_id: request.id });
};

/** The answer is the page for signed-out users, because this user is now signed out. */
function signOutEverywhere(front: PageContext): PageEndpoint {
  return {
    name: 'sign_out_everywhere',
    method: 'POST',
    paths: [pagePaths.signOutEverywhere],
    async handle(request, reply) {
      const { visitor } = await readCsrfFormOfUser(front, request, 'account');
      await endVisits(front, visitor, { request, reply });
      return redirect(reply, doneAddress(front.paths.signOut, 'everywhere', seconds(front.service.clock)));
    },
  };
}
