import type { RouteFile } from '../schema/gateway.ts';
import { fold } from '../words/fold-name.ts';
import { isToken, namesWithMeaning as taken } from '../words/header-name.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

/** Rules for the headers that the gateway writes. */
export const headerChecks: Checks<GatewaySubject> = {
  'identity headers': ({ config, routes }) => [
    ...identityFaults(['defaults', 'identity_headers'], config.defaults.identity_headers),
    ...routes.flatMap(({ at, value }) => identityFaults([...at, 'identity_headers'], value.identity_headers)),
  ],
  'request id header': ({ config }) => nameFaults(['request_id', 'header'], config.request_id.header, false),
  realm: ({ config }) => realmFaults(config.realm),
};

function identityFaults(at: Pointer, headers: RouteFile['identity_headers']): readonly Finding[] {
  if (headers === undefined) return [];
  const names = Object.keys(headers.set);
  return [
    ...prefixFaults([...at, 'prefix'], headers.prefix),
    ...names.flatMap((name) => nameFaults([...at, 'set', name], name, true)),
    ...names
      .filter((name, index) => names.findIndex((other) => fold(other) === fold(name)) !== index)
      .map((name) => ({
        pointer: [...at, 'set', name],
        message: `\`${name}\` occurs in two spellings`,
        hint: 'keep one spelling: many servers ignore case, and treat `-` and `_` as equal',
        atKey: true,
      })),
  ];
}

function nameFaults(pointer: Pointer, name: string, atKey: boolean): readonly Finding[] {
  if (!isToken(name))
    return [
      {
        pointer,
        message: `\`${name}\` is not a header name`,
        hint: 'use letters, digits and `-` (RFC 9110 §5.1)',
        atKey,
      },
    ];
  if (!taken.includes(fold(name))) return [];
  return [
    {
      pointer,
      message: `\`${name}\` already has a meaning and cannot be used here`,
      hint: 'choose another name, such as X-Auth-Subject',
      atKey,
    },
  ];
}

function prefixFaults(pointer: Pointer, prefix: string): readonly Finding[] {
  if (!isToken(prefix))
    return [
      {
        pointer,
        message: `\`${prefix}\` cannot begin a header name`,
        hint: 'use letters, digits and `-` (RFC 9110 §5.1)',
      },
    ];
  const dropped = taken.find((name) => !name.startsWith('x-forwarded') && name.startsWith(fold(prefix)));
  return dropped === undefined
    ? []
    : [
        {
          pointer,
          message: `the gateway removes all headers with this prefix, so every request would lose its \`${dropped}\` header`,
          hint: 'choose a longer prefix, such as X-Auth-',
        },
      ];
}

/** The realm is part of a quoted-string in every challenge. */
function realmFaults(realm: string): readonly Finding[] {
  if (/^[\x20-\x7e]*$/.test(realm)) return [];
  return [
    {
      pointer: ['realm'],
      message: 'a realm is plain ASCII text in one line',
      hint: 'write printable ASCII: the gateway sends the realm in a header (RFC 9110 §11.5)',
    },
  ];
}
