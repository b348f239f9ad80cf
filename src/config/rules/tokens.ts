import type { ClientFile } from '../schema/client.ts';
import { type ClaimSource, parseClaimSource } from '../schema/token-settings.ts';
import type { UserFile } from '../schema/user.ts';
import { closest, didYouMean } from '../words/closest.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import type { AuthorizationSubject } from './subject.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Rules for the lifetimes and claims of issued tokens. */
export const tokenChecks: Checks<AuthorizationSubject> = {
  'lifetime of access tokens': ({ config }) => [
    ...lifetimeFaults(['tokens', 'access', 'ttl'], config.tokens.access.ttl),
    ...lifetimeFaults(['tokens', 'access', 'jwt_ttl'], config.tokens.access.jwt_ttl),
  ],
  'lifetime of codes': ({ config }) => codeFaults(config.tokens.code.ttl),
  'lifetime of refresh tokens': refreshFaults,
  'lifetime of session keys': ({ config }) =>
    tooShort(['tokens', 'session_key', 'ttl'], config.tokens.session_key.ttl, 'a session key'),
  'retry window and leeway of refresh tokens': ({ config, clients }) => [
    ...windowFaults(['tokens', 'refresh', 'retry_window'], config.tokens.refresh.retry_window),
    ...windowFaults(['tokens', 'refresh', 'reuse_leeway'], config.tokens.refresh.reuse_leeway),
    ...clients.flatMap(({ at, value }) => windowFaults([...at, 'retry_window'], value.retry_window ?? 0)),
  ],
  'JWTs that would be extended': extendFaults,
  'claims of access tokens': (subject) =>
    Object.entries(subject.config.tokens.access.claims).flatMap(([claim, source]) =>
      claimFaults(claim, source, subject),
    ),
};

function tooShort(pointer: Pointer, ttl: number, what: string): readonly Finding[] {
  if (ttl >= SECOND) return [];
  return [{ pointer, message: `${what} that lives less than a second is useless`, hint: 'write 15m or 1h' }];
}

function lifetimeFaults(pointer: Pointer, ttl: number): readonly Finding[] {
  if (ttl <= DAY) return tooShort(pointer, ttl, 'a token');
  return [
    {
      pointer,
      severity: 'warning',
      message: 'a thief of such a token can use it for more than a day',
      hint: 'write 1h or less',
    },
  ];
}

function codeFaults(ttl: number): readonly Finding[] {
  const pointer = ['tokens', 'code', 'ttl'];
  if (ttl < SECOND) return [{ pointer, message: 'a code that lives less than a second is useless', hint: 'write 60s' }];
  return ttl <= 5 * MINUTE
    ? []
    : [
        {
          pointer,
          message: 'a code is valid for at most 5 minutes',
          hint: 'write 60s: clients exchange a code at once',
        },
      ];
}

function refreshFaults({ config }: AuthorizationSubject): readonly Finding[] {
  const { access, refresh } = config.tokens;
  const [key, longest] = access.ttl >= access.jwt_ttl ? ['ttl', access.ttl] : ['jwt_ttl', access.jwt_ttl];
  const late = {
    pointer: ['tokens', 'refresh', 'ttl'],
    message: `a refresh token that does not outlive the access token (\`tokens.access.${key}\`) renews nothing`,
    hint: 'give it a longer `ttl`, such as 7d',
  };
  const capped = {
    pointer: ['tokens', 'refresh', 'absolute_ttl'],
    message: '`absolute_ttl` is shorter than `ttl`, so no refresh token reaches its `ttl`',
    hint: 'write a time of at least `ttl`, such as 30d',
  };
  return [...(refresh.ttl > longest ? [] : [late]), ...(refresh.absolute_ttl >= refresh.ttl ? [] : [capped])];
}

/** RFC 9700 §4.14.2: a second use means theft, unless a lost answer explains it. */
function windowFaults(pointer: Pointer, window: number): readonly Finding[] {
  if (window <= MINUTE) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: 'a stolen refresh token stays unnoticed for this long (RFC 9700 §4.14.2)',
      hint: 'a client repeats a lost request within seconds: 10s is enough',
    },
  ];
}

/** The expiry is part of the JWT itself. */
function extendFaults({ config, clients }: AuthorizationSubject): readonly Finding[] {
  const { access, refresh } = config.tokens;
  if (refresh.access_token !== 'extend') return [];
  const message = '`extend` cannot make a JWT last longer, because the expiry is part of the JWT';
  const byDefault: Finding = {
    pointer: ['tokens', 'refresh', 'access_token'],
    message,
    hint: 'write `access_token: new`, or `format: opaque`',
  };
  return [
    ...(access.format === 'jwt' ? [byDefault] : []),
    ...clients
      .filter(({ value }) => refreshesJwts(value))
      .map(
        ({ at }): Finding => ({
          pointer: [...at, 'access_token_format'],
          message: `${message} (\`tokens.refresh.access_token\`)`,
          hint: 'write `access_token_format: opaque`, or `access_token: new` in `tokens.refresh`',
        }),
      ),
  ];
}

function refreshesJwts({ access_token_format, grant_types }: ClientFile): boolean {
  return access_token_format === 'jwt' && grant_types.includes('refresh_token');
}

/** Claims that the service itself writes, or that a reader would attribute to the service. */
const registeredClaims = new Set(
  `iss sub aud exp nbf iat jti client_id scope scp cnf act may_act authorization_details gid username token_type active
   auth_time acr amr azp sid nonce app_id rscope at_hash c_hash s_hash events txn toe sub_id token_introspection`.split(
    /\s+/,
  ),
);

function claimFaults(claim: string, source: string, { users, clients }: AuthorizationSubject): readonly Finding[] {
  const pointer = ['tokens', 'access', 'claims', claim];
  if (registeredClaims.has(claim)) {
    const message = `\`${claim}\` already has a meaning in tokens and introspection answers`;
    return [{ pointer, message, hint: 'choose another name', atKey: true }];
  }
  const parsed = parseClaimSource(source);
  if (parsed === undefined)
    return [{ pointer, message: `\`${source}\` is not \`user.NAME\` or \`client.NAME\``, hint: sourceHint(source) }];
  const members: readonly Member<UserFile | ClientFile>[] = parsed.of === 'user' ? users : clients;
  return unknownSource(
    pointer,
    parsed,
    members.flatMap(({ value }) => Object.keys(value.claims)),
  );
}

function sourceHint(source: string): string {
  const [of = '', ...name] = source.split('.');
  const meant = closest(of, ['user', 'client']);
  return meant === undefined || name.length === 0
    ? 'such as `user.tenant`'
    : `did you mean \`${meant}.${name.join('.')}\`?`;
}

/** The store has other users and clients, so only a near miss gets a warning. */
function unknownSource(pointer: Pointer, { of, name }: ClaimSource, known: readonly string[]): readonly Finding[] {
  const near = known.includes(name) ? undefined : closest(name, known);
  if (near === undefined) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: `no ${of} in this file has the claim \`${name}\``,
      hint: didYouMean(name, [near]),
    },
  ];
}
