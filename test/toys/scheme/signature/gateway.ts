import { createHmac } from 'node:crypto';
import { sameBytes } from '../../../../src/base/secret.ts';
import { outage, refused } from '../../../../src/base/verdict.ts';
import type { Identity, SchemeVerification } from '../../../../src/gateway/message/identity.ts';
import { guardLogin } from '../../../../src/gateway/schemes/guarded-login.ts';
import type { Presented } from '../../../../src/gateway/schemes/http-scheme.ts';
import type { GatewayScheme, OpenedScheme, SchemeScene } from '../../../../src/gateway/schemes/scheme.ts';
import { userIdentities } from '../../../../src/gateway/schemes/user-identity.ts';
import { userSource } from '../../../../src/gateway/schemes/user-source.ts';
import { StorageUnavailable } from '../../../../src/storage/lookup/read.ts';
import type { SignatureConfig } from './config.ts';
import { readKeys } from './keys.ts';

export const signature: GatewayScheme<SignatureConfig> = {
  open,
  assume: ({ keys, scopes }) => ({
    identityOf: identities(scopes),
    challenges: () => [CHALLENGE],
    source: userSource(keys),
    scopes,
  }),
  describe: ({ issuer }) => `verified by the keys of ${issuer}`,
  countsUses: false,
  dependencies: ({ keys }) => [
    {
      key: { keys },
      about: `keys of signature ${keys}`,
      remedy: 'name a file that is there',
      async look({ directory }) {
        if (readKeys(keys, { directory }) === undefined) throw new StorageUnavailable('the file cannot be read');
      },
    },
  ],
};

const CHALLENGE = 'Signature realm="toy"';

function identities(scopes: SignatureConfig['scopes']): (key: string) => Identity {
  return userIdentities({ scheme: 'signature', realm: 'toy', scopes });
}

function open(config: SignatureConfig, scene: SchemeScene): OpenedScheme {
  const identityOf = identities(config.scopes);
  return {
    name: 'signature',
    wantsEntity: () => undefined,
    challenges: () => [CHALLENGE],
    verify: (presented) => verify(presented, config, scene, identityOf),
  };
}

function verify(
  { value, head }: Presented,
  config: SignatureConfig,
  { directory, throttle }: SchemeScene,
  identityOf: (key: string) => Identity,
): SchemeVerification | Promise<SchemeVerification> {
  const [key = '', sent = ''] = value.split(':');
  if (key === '' || sent === '') return refused('authorization_malformed');
  const keys = readKeys(config.keys, { directory });
  if (keys === undefined) return outage('users', 1, 'the file of keys cannot be read');
  return guardLogin({ throttle, name: `signature ${key}`, address: head.origin.address }, () => {
    const right = sign(keys.get(key) ?? '', head.method, head.target);
    if (!keys.has(key) || !sameBytes(Buffer.from(right), Buffer.from(sent))) return refused('password_wrong');
    return { kind: 'verified', identity: identityOf(key), cache: 'miss' };
  });
}

/** Hexadecimal, over method and path without its query. */
export function sign(secret: string, method: string, target: string): string {
  return createHmac('sha256', secret)
    .update(`${method} ${target.split('?')[0]}`)
    .digest('hex');
}
