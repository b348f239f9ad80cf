import type { Test } from 'tap';
import { converse, type Peer, variablesOf } from '../peer.ts';
import { type OpenidSite, openidScope, openidSite, type Registration, withoutSecret, withSecret } from './site.ts';

/** Everything that a relying party tells until its end, by name. */
export type Told = Readonly<Record<string, unknown>>;

/** Plays the story with a library. */
export type RelyingParty = (site: OpenidSite, client: Registration, t: Test) => Promise<Told>;

/** A function that plays the story, or why the library cannot be here. */
export type Prepared = RelyingParty | { readonly missing: string };

interface Claims {
  readonly sub: string;
  readonly sid: string;
  readonly auth_time: number;
}

const kinds = [
  { kind: 'a client with a secret', client: withSecret },
  { kind: 'a public client with EdDSA and pairwise subjects', client: withoutSecret },
];

/** The same story with each library, which itself verifies its ID tokens. `only`: the library knows no other kind of client. */
export function openidTests(t: Test, name: string, prepare: () => Prepared, only?: Registration): void {
  let prepared: Prepared | undefined;
  for (const { kind, client } of kinds.filter((each) => only === undefined || each.client === only))
    t.test(`${name}, ${kind}: discovery, login, ID token, userinfo, refresh and logout`, async (t) => {
      prepared ??= prepare();
      if ('missing' in prepared) return t.plan(0, prepared.missing);
      const site = await openidSite(t, client);
      judge(t, await prepared(site, client, t), site.issuer, client);
    });
}

/** A program in another language plays the story. */
export function played(peer: Peer): Prepared {
  if ('missing' in peer) return peer;
  return ({ issuer, visit }, client, t) =>
    converse(peer, {
      t,
      variables: { ...variablesOf(issuer, client), SIGNED_OUT_URI: client.signedOut, SCOPE: openidScope },
      browse: (line) => visit(line.visit),
    });
}

/** Checks what a relying party told. */
export function judge(t: Test, told: Told, issuer: string, { signedOut, subjectType }: Registration): void {
  const first = told['ID token'] as Claims;
  const sub = subjectType === 'pairwise' ? /^[\w-]{43}$/ : 'alice';
  t.match(told, {
    discovered: issuer,
    'ID token': { iss: issuer, sub, amr: ['pwd'], auth_time: Number, sid: String },
    'ID token of another request': String,
    userinfo: { sub: first.sub, name: 'Alice Ng', email: 'alice@example.com', email_verified: true },
    'ID token of the refresh': { iss: issuer, sub: first.sub, sid: first.sid, auth_time: first.auth_time },
    'signed out': `${signedOut}?state=${told['state of the logout']}`,
    'state of the logout': /^.{8,}$/,
    'refresh after the logout': 'invalid_grant',
  });
}

/** The error code of the service, or the message of the library. */
export function refusal(act: Promise<unknown>): Promise<string | undefined> {
  return act.then(
    () => undefined,
    (error: Error & { readonly error?: string }) => error.error ?? error.message,
  );
}
