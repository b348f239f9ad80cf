// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this

import type { ClientFile } from '../schema/client.ts';
import { type GrantTraits, type GrantType, grantTypes, traitsOf } from '../words/grant-types.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { redirectUriFault } from '../words/redirect-uri.ts';
import type { Check, Checks, Member } from './checks.ts';
import type { AuthorizationSubject } from './subject.ts';

type Client = Member<ClientFile>;

/** Rules for the grants of a client. */
export const grantChecks: Checks<AuthorizationSubject> = {
  'redirect addresses': each(redirectFaults),
  'grant without redirect address': each(missingRedirect),
  'redirect addresses without use': each(unusedRedirect),
  'legacy grants': each(legacyFaults),
  'refresh_token without a grant that gives refresh tokens': each(refreshFaults),
  'retry window without refresh': each(retryFaults),
  'client without PKCE': each(pkceFaults),
  'client of the browserless exchange': ({ clients, config }) =>
    clients.flatMap((client) => sessionFaults(client, config.session.enabled)),
  'client that gets no code for the browserless exchange': each(sessionCodeFaults),
};

function each(check: (client: Client) => readonly Finding[]): Check<AuthorizationSubject> {
  return ({ clients }) => clients.flatMap(check);
}

export function hasSecret({ client_secret, app_secret, client_secret_sha256 }: ClientFile): boolean {
  return [client_secret, app_secret, client_secret_sha256].some((each) => each !== undefined);
}

/** A client that cannot prove its identity. */
export function isPublic(client: ClientFile): boolean {
  return !hasSecret(client) && client.token_endpoint_auth_method !== 'private_key_jwt';
}

function redirectFaults({ at, value }: Client): readonly Finding[] {
  return value.redirect_uris.flatMap((text, index): Finding[] => {
    const pointer = [...at, 'redirect_uris', index];
    const fault = redirectUriFault(text);
    if (fault !== undefined) return [{ pointer, ...fault }];
    return value.redirect_uris.indexOf(text) === index
      ? []
      : [{ pointer, severity: 'warning', message: 'this address occurs twice', hint: 'remove one' }];
  });
}

interface Listed {
  readonly grant: GrantType;
  readonly pointer: Pointer;
  readonly traits: GrantTraits;
}

/** The places of a client's grants with this trait. */
function withTrait({ at, value }: Client, trait: keyof GrantTraits): readonly Listed[] {
  return value.grant_types.flatMap((grant, index) => {
    const traits = traitsOf(grant);
    return traits[trait] === undefined ? [] : [{ grant, traits, pointer: [...at, 'grant_types', index] }];
  });
}

/** A client without a secret cannot prove that it acts for itself (RFC 6749 §2.1). */
export function confidentialFaults({ at, value }: Client): readonly Finding[] {
  return [...new Set(value.grant_types)].flatMap((grant) => {
    const { confidential } = traitsOf(grant);
    if (confidential === undefined) return [];
    const pointer = [...at, 'grant_types', value.grant_types.indexOf(grant)];
    const message = `\`${grant}\` needs a client with a secret (${confidential})`;
    return [{ pointer, message, hint: 'write `client_secret: ${NAME}`' }];
  });
}

function missingRedirect(client: Client): readonly Finding[] {
  if (client.value.redirect_uris.length > 0) return [];
  return withTrait(client, 'redirects').map(({ grant, pointer }) => ({
    pointer,
    message: `\`${grant}\` redirects a browser to the client, and the client has no redirect address`,
    hint: 'write `redirect_uris: [https://app.example.com/callback]`',
  }));
}

function unusedRedirect(client: Client): readonly Finding[] {
  const { at, value } = client;
  if (value.redirect_uris.length === 0 || value.session || withTrait(client, 'redirects').length > 0) return [];
  return [
    {
      pointer: [...at, 'redirect_uris'],
      severity: 'warning',
      message: 'no grant of this client redirects a browser',
      hint: 'add `authorization_code` to `grant_types`, or remove the addresses',
      atKey: true,
    },
  ];
}

function legacyFaults(client: Client): readonly Finding[] {
  return withTrait(client, 'legacy').map(({ grant, pointer, traits }) => ({
    pointer,
    severity: 'warning',
    message: `\`${grant}\` is for old clients only: ${traits.legacy}`,
    hint: 'write `authorization_code`',
  }));
}

function refreshFaults(client: Client): readonly Finding[] {
  const index = client.value.grant_types.indexOf('refresh_token');
  if (index === -1 || withTrait(client, 'yieldsRefresh').length > 0) return [];
  const yielding = grantTypes.filter((grant) => traitsOf(grant).yieldsRefresh).map((grant) => `\`${grant}\``);
  return [
    {
      pointer: [...client.at, 'grant_types', index],
      severity: 'warning',
      message: 'no grant of this client gives it a refresh token',
      hint: `add ${yielding.join(' or ')}, or remove \`refresh_token\``,
    },
  ];
}

function retryFaults({ at, value }: Client): readonly Finding[] {
  if (value.retry_window === undefined || value.grant_types.includes('refresh_token')) return [];
  return [
    {
      pointer: [...at, 'retry_window'],
      severity: 'warning',
      message: 'this client gets no refresh tokens',
      hint: 'add `refresh_token` to `grant_types`, or remove `retry_window`',
      atKey: true,
    },
  ];
}

/** RFC 9700 §2.1.1: PKCE is mandatory for public clients, and recommended for others. */
function pkceFaults({ at, value }: Client): readonly Finding[] {
  if (value.require_pkce) return [];
  const pointer = [...at, 'require_pkce'];
  if (isPublic(value)) {
    const message = 'a client without a secret must use PKCE (RFC 9700 §2.1.1)';
    return [{ pointer, message, hint: 'remove this, or give the client a `client_secret`' }];
  }
  const message = 'without PKCE, an attacker can insert a stolen code into another login (RFC 9700 §2.1.1)';
  return [{ pointer, severity: 'warning', message, hint: 'remove this once the client sends `code_challenge`' }];
}

function sessionFaults({ at, value }: Client, isEnabled: boolean): readonly Finding[] {
  if (!value.session) return [];
  const pointer = [...at, 'session'];
  if (isPublic(value))
    return [{ pointer, message: '`session` needs a client with a secret', hint: 'write `client_secret: ${NAME}`' }];
  return isEnabled
    ? []
    : [
        {
          pointer,
          severity: 'warning',
          message: 'the browserless exchange is switched off',
          hint: 'write `session: { enabled: true }` at the top level',
        },
      ];
}

/** The origin identifies a page of the client. Without a page, the user types a password. */
function sessionCodeFaults({ at, value }: Client): readonly Finding[] {
  const hasPage = value.redirect_uris.some((uri) => /^https?:/i.test(uri));
  if (!value.session || hasPage || value.grant_types.includes('password')) return [];
  return [
    {
      pointer: [...at, 'session'],
      severity: 'warning',
      message:
        'this client cannot get a code to exchange: no http or https address is in `redirect_uris`, and `password` is not in its `grant_types`',
      hint: 'write the address of its pages: `redirect_uris: [https://app.example.com/]`',
    },
  ];
}
