// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this

import { storageServer } from '../../base/storage-urls.ts';
import { databaseFaults } from '../words/database-url.ts';
import { hmacSecretFaults } from '../words/hmac-secret.ts';
import type { Finding } from '../words/problem.ts';
import { secretKeyFaults } from '../words/secret-key.ts';
import type { Checks } from './checks.ts';
import type { AuthorizationSubject } from './subject.ts';

/** Rules for the storage, and for the keys that sign and encrypt. */
export const keyChecks: Checks<AuthorizationSubject> = {
  database: ({ config }) => databaseFaults(['storage'], config.storage),
  'encryption keys': ({ config }) => [
    ...(config.encryption_keys ?? []).flatMap((key, index) => secretKeyFaults(['encryption_keys', index], key)),
    ...missingKeys(config),
  ],
  'signing secret': ({ config }) => signingFaults(config.signing),
};

/** A key file beside the database would exist in one replica only, and beside the rows that it protects. */
function missingKeys({ storage, encryption_keys = [] }: AuthorizationSubject['config']): readonly Finding[] {
  const server = storageServer(storage);
  if (server === undefined || encryption_keys.length > 0) return [];
  return [
    {
      pointer: ['storage'],
      message: `a ${server.name} database needs \`encryption_keys\``,
      hint: 'write `encryption_keys: ["${file:PATH}"]`; make a key with `openssl rand -base64 32`',
    },
  ];
}

function signingFaults({
  alg,
  secret_base64url: secret,
}: AuthorizationSubject['config']['signing']): readonly Finding[] {
  const pointer = ['signing', 'secret_base64url'];
  if (alg !== 'HS256') {
    const message = `\`${alg}\` signs with its own key pair, so this secret is never used`;
    return secret === undefined ? [] : [{ pointer, message, hint: 'remove it, or write `alg: HS256`', atKey: true }];
  }
  if (secret === undefined)
    return [
      {
        pointer: ['signing', 'alg'],
        message: '`HS256` needs `secret_base64url`',
        hint: 'write at least 32 bytes, and give them to every verifier',
      },
    ];
  const shared: Finding = {
    pointer: ['signing', 'alg'],
    severity: 'warning',
    message: 'anyone who can verify with this secret can also issue tokens',
    hint: 'use ES256 unless every verifier is your own',
  };
  return [...hmacSecretFaults(pointer, 'secret_base64url', secret), shared];
}
