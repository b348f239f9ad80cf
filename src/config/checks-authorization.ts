import type { AuthorizationFile } from './authorization.ts';
import { type Checks, runChecks } from './checks.ts';
import { clientChecks } from './checks-clients.ts';
import { listenerFaults } from './checks-listeners.ts';
import { timerFaults } from './checks-timers.ts';
import { isLoopback } from './host.ts';
import type { Finding, Pointer } from './problem.ts';
import { scopeTokenFault } from './scope-words.ts';
import { secretKeyFaults } from './secret-key.ts';
import { type AuthorizationSubject, authorizationSubject } from './subject.ts';
import { issuerFaults, parseUrl } from './url-rules.ts';

/** Every rule of authorization.yaml that a schema cannot say. */
export const authorizationChecks: Checks<AuthorizationSubject> = {
  listeners: ({ config }) => listenerFaults(config),
  'longest wait': ({ config }) => timerFaults(['shutdown'], config.shutdown),
  issuer: ({ config }) => issuerFaults(['issuer'], config.issuer, config.development),
  'issuer elsewhere': ({ config }) => issuerElsewhere(config),
  resources: ({ config }) =>
    config.resources.flatMap((resource, index) => resourceFaults(['resources', index], resource)),
  'encryption keys': ({ config }) =>
    (config.encryption_keys ?? []).flatMap((key, index) => secretKeyFaults(['encryption_keys', index], key)),
  scopes: ({ config }) => Object.keys(config.scopes).flatMap(scopeFaults),
  'lifetime of access tokens': ({ config }) => [
    ...lifetimeFaults(['tokens', 'access', 'ttl'], config.tokens.access.ttl),
    ...lifetimeFaults(['tokens', 'access', 'jwt_ttl'], config.tokens.access.jwt_ttl),
  ],
  ...clientChecks,
};

export function checkAuthorization(config: AuthorizationFile): readonly Finding[] {
  return runChecks(authorizationChecks, authorizationSubject(config));
}

/** An issuer on this machine is this service itself, unless a proxy stands in front of it. */
function issuerElsewhere({ issuer, listen }: AuthorizationFile): readonly Finding[] {
  const url = parseUrl(issuer);
  if (url === undefined || url.protocol !== 'http:' || !isLoopback(url.hostname)) return [];
  if (listen.port === 0 || Number(url.port || 80) === listen.port) return [];
  return [
    {
      pointer: ['issuer'],
      severity: 'warning',
      message: `the issuer is port ${url.port || 80} of this machine, and the service listens at ${listen.port}`,
      hint: `write \`listen: 127.0.0.1:${url.port || 80}\`, unless a proxy stands between`,
    },
  ];
}

/** RFC 8707 §2: an absolute URI without a fragment. */
function resourceFaults(pointer: Pointer, resource: string): readonly Finding[] {
  if (parseUrl(resource) === undefined)
    return [
      {
        pointer,
        message: `\`${resource}\` is not an absolute URI (RFC 8707 §2)`,
        hint: 'write it whole: https://api.example.com',
      },
    ];
  return resource.includes('#')
    ? [{ pointer, message: 'a resource has no fragment (RFC 8707 §2)', hint: 'leave out `#` and what follows' }]
    : [];
}

function scopeFaults(scope: string): readonly Finding[] {
  const message = scopeTokenFault(scope);
  return message === undefined ? [] : [{ pointer: ['scopes', scope], message, atKey: true }];
}

const day = 24 * 60 * 60 * 1000;

function lifetimeFaults(pointer: Pointer, ttl: number): readonly Finding[] {
  if (ttl < 1000)
    return [{ pointer, message: 'a token that lives less than a second is never of use', hint: 'write 15m or 1h' }];
  if (ttl <= day) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: 'whoever finds such a token has it for more than a day',
      hint: 'write 1h or less',
    },
  ];
}
