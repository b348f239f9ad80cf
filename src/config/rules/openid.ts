import { parseCidr } from '../../base/cidr.ts';
import type { ClientFile } from '../schema/client.ts';
import { parseClaimSource } from '../schema/token-settings.ts';
import type { Finding } from '../words/problem.ts';
import { redirectUriFault } from '../words/redirect-uri.ts';
import { scopeWords } from '../words/scope-words.ts';
import { sectorHost } from '../words/sector-host.ts';
import { endpointFaults } from '../words/url-rules.ts';
import type { Checks, Member } from './checks.ts';
import type { AuthorizationSubject } from './subject.ts';

type Client = Member<ClientFile>;

const SECOND = 1000;

/** Rules for OpenID Connect. */
export const openidChecks: Checks<AuthorizationSubject> = {
  'claims of ID tokens': ({ config }) =>
    Object.entries(config.openid.claims).flatMap(([claim, source]) => claimFaults(claim, source)),
  'lifetime of ID tokens': ({ config }) => {
    const pointer = ['openid', 'id_token', 'ttl'];
    if (config.openid.id_token.ttl >= SECOND) return [];
    return [{ pointer, message: 'an ID token that lives less than a second is useless', hint: 'write 10m' }];
  },
  'age of a login': ({ clients }) =>
    clients.flatMap(({ at, value }): Finding[] => {
      if ((value.default_max_age ?? SECOND) >= SECOND) return [];
      const pointer = [...at, 'default_max_age'];
      return [{ pointer, message: 'with less than a second, no login is recent enough', hint: 'write 1h' }];
    }),
  'private addresses of clients': ({ config }) =>
    config.outbound.private_addresses.flatMap((text, index): Finding[] => {
      if (parseCidr(text) !== undefined) return [];
      const pointer = ['outbound', 'private_addresses', index];
      return [{ pointer, message: `\`${text}\` is not a CIDR`, hint: 'such as 10.0.0.0/8, fd00::/8 or one address' }];
    }),
  'signed userinfo for every client': ({ config }) =>
    config.openid.userinfo_signed
      ? [
          {
            pointer: ['openid', 'userinfo_signed'],
            severity: 'warning',
            message: 'every client gets a JWT from /oauth2/userinfo, and most libraries expect JSON',
            hint: 'remove this, and write `userinfo_signed_response_alg: RS256` in each client that needs a JWT',
            atKey: true,
          },
        ]
      : [],
  'openid without a code': ({ clients }) => clients.flatMap(withoutCode),
  'addresses after a logout': ({ clients }) => clients.flatMap(postLogoutFaults),
  'back-channel logout': ({ clients, config }) =>
    clients.flatMap(({ at, value }) =>
      endpointFaults([...at, 'backchannel_logout_uri'], value.backchannel_logout_uri, config.development),
    ),
  'sector of a client': ({ clients, config }) =>
    clients.flatMap((client) => sectorFaults(client, config.openid.subject, config.development)),
  'keys of OpenID Connect without openid': ({ clients, config }) =>
    clients.flatMap((client) => unusedKeys(client, config.openid.enabled)),
};

/** Claims that the service itself writes. */
const ownClaims = new Set(
  'iss sub aud exp nbf iat jti auth_time nonce acr amr azp at_hash c_hash s_hash sid events active'.split(' '),
);

function claimFaults(claim: string, source: string): readonly Finding[] {
  const pointer = ['openid', 'claims', claim];
  if (ownClaims.has(claim))
    return [{ pointer, message: `the service itself writes \`${claim}\``, hint: 'choose another name', atKey: true }];
  if (parseClaimSource(source)?.of === 'user') return [];
  return [{ pointer, message: `\`${source}\` is not \`user.NAME\``, hint: 'such as `user.email`' }];
}

function wantsOpenid({ scope }: ClientFile): boolean {
  return scope !== undefined && scopeWords(scope).includes('openid');
}

function withoutCode({ at, value }: Client): readonly Finding[] {
  if (!wantsOpenid(value) || value.grant_types.includes('authorization_code')) return [];
  const message = 'a client gets ID tokens only through the grant `authorization_code`';
  return [
    { pointer: [...at, 'scope'], severity: 'warning', message, hint: 'add `authorization_code` to `grant_types`' },
  ];
}

/** OpenID Connect RP-Initiated Logout §3.1. The rules are the same as for redirect addresses. */
function postLogoutFaults({ at, value }: Client): readonly Finding[] {
  return value.post_logout_redirect_uris.flatMap((text, index): Finding[] => {
    const fault = redirectUriFault(text);
    return fault === undefined ? [] : [{ pointer: [...at, 'post_logout_redirect_uris', index], ...fault }];
  });
}

/** OpenID Connect Core §8.1: without a `sector_identifier_uri`, all redirect addresses have one host. */
function sectorFaults({ at, value }: Client, byDefault: string, development: boolean): readonly Finding[] {
  const { sector_identifier_uri: uri } = value;
  const pointer = [...at, 'sector_identifier_uri'];
  if (uri !== undefined) return endpointFaults(pointer, uri, development);
  if (!wantsOpenid(value) || (value.subject_type ?? byDefault) !== 'pairwise') return [];
  const hosts = new Set(value.redirect_uris.map(sectorHost));
  if (hosts.size <= 1) return [];
  const message =
    'a client with `pairwise` and several hosts in `redirect_uris` needs a `sector_identifier_uri` (OpenID Connect Core §8.1)';
  return [{ pointer: at, message, hint: 'write the https URL of a JSON array with all its `redirect_uris`' }];
}

/** Keys that only a login by OpenID Connect reads. */
const loginKeys = [
  'backchannel_logout_uri',
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
  'subject_type',
  'sector_identifier_uri',
] as const;

/** A logout reads the addresses of each client, with or without the scope `openid`. */
const providerKeys = [...loginKeys, 'post_logout_redirect_uris'] as const;

function unusedKeys({ at, value }: Client, isProvider: boolean): readonly Finding[] {
  if (!isProvider) return unused(at, value, { keys: providerKeys, missing: '`openid: { enabled: true }`' });
  return wantsOpenid(value) ? [] : unused(at, value, { keys: loginKeys, missing: '`openid` in `scope`' });
}

interface Unused {
  readonly keys: readonly (keyof ClientFile)[];
  readonly missing: string;
}

function unused(at: Client['at'], value: ClientFile, { keys, missing }: Unused): readonly Finding[] {
  return keys
    .filter((key) => isWritten(value[key]))
    .map((key) => ({
      pointer: [...at, key],
      severity: 'warning',
      message: `\`${key}\` has no effect without ${missing}`,
      hint: `add ${missing}, or remove this`,
      atKey: true,
    }));
}

function isWritten(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}
