// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { type ApiKeyEntry, parseApiKeys } from '../../files/api-keys.ts';
import { passesOver } from '../../files/referred-file.ts';
import { readUserFile } from '../../files/user-file.ts';
import { didYouMean } from '../../words/closest.ts';
import { sharedDatabaseFaults } from '../../words/database-url.ts';
import { fold } from '../../words/fold-name.ts';
import { isToken, namesWithMeaning } from '../../words/header-name.ts';
import type { Finding, Pointer } from '../../words/problem.ts';
import { secretKeyFaults } from '../../words/secret-key.ts';
import { each, type FileFacts, type PlacedBlock, type SchemeCheck } from '../scheme.ts';
import { plainRealm, usersPathOf, warnedAt } from '../users-rules.ts';
import type { ApiKeyConfig } from './schema.ts';

type Block = PlacedBlock<ApiKeyConfig>;

export const apiKeyChecks: readonly SchemeCheck<ApiKeyConfig>[] = [
  plainRealm,
  { rule: 'place of API keys', findings: each(placeFaults) },
  { rule: 'file of API keys', findings: each(keyFaults) },
];

function placeFaults({ at, value: { in: place, name } }: Block): readonly Finding[] {
  const told = places[place](name);
  return told === undefined ? [] : [{ pointer: [...at, 'name'], ...told }];
}

type Told = Pick<Finding, 'message' | 'hint'> | undefined;

const places: Readonly<Record<ApiKeyConfig['in'], (name: string) => Told>> = {
  header(name) {
    const hint = 'choose another name, such as X-API-Key';
    if (!isToken(name)) return { message: `\`${name}\` is not a header name`, hint };
    if (!namesWithMeaning.includes(fold(name))) return undefined;
    return { message: `\`${name}\` already has a meaning, so it cannot carry an API key`, hint };
  },
  /** Other characters have several spellings, so only unreserved characters are allowed. */
  query(name) {
    const hint = 'choose another name, such as api_key';
    if (name === 'access_token') return { message: '`access_token` is for bearer tokens (RFC 6750 §2.3)', hint };
    if (/^[A-Za-z0-9._~-]+$/.test(name)) return undefined;
    return { message: 'the name of a query parameter for keys has only letters, digits, `-`, `.`, `_` and `~`', hint };
  },
};

function keyFaults({ at, value: { keys, hmac_key } }: Block, { around, scopes }: FileFacts): readonly Finding[] {
  const pointer = [...at, 'keys'];
  const ofSecret = hmac_key === undefined ? [] : secretKeyFaults([...at, 'hmac_key'], hmac_key);
  if (typeof keys !== 'string') return [...ofSecret, ...sharedDatabaseFaults([...pointer, 'storage'], keys.storage)];
  if (passesOver(keys, around, 'secrets')) return ofSecret;
  const read = readUserFile(keys, around, parseApiKeys);
  if (!read.ok) return [...ofSecret, ...read.faults.map(usersPathOf(pointer))];
  return [
    ...ofSecret,
    ...read.warnings.map(warnedAt(pointer)),
    ...shortKeys(pointer, read.users, hmac_key !== undefined),
    ...strangeScopes(pointer, read.users, scopes),
  ];
}

/** At most this many names are reported. */
const NAMED = 5;

function shortKeys(pointer: Pointer, keys: readonly ApiKeyEntry[], isOpened: boolean): readonly Finding[] {
  const ids = keys.filter(({ kind }) => kind === 'hmac').map(({ id }) => `\`${id}\``);
  if (ids.length === 0) return [];
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
  const named = `${ids.slice(0, NAMED).join(', ')}${more}`;
  if (!isOpened)
    return [
      {
        pointer,
        message: `${named}: these keys are hashed with HMAC, and \`hmac_key\` is missing`,
        hint: 'write `hmac_key: "${file:PATH}"`, with the file that you gave to `gatehouse api-key import --hmac-key`',
      },
    ];
  const message = `${named}: these keys have fewer than 128 bits, so they can be guessed`;
  return [{ pointer, severity: 'warning', message, hint: 'give their clients new keys: `gatehouse api-key create`' }];
}

/** A typing error in a key's scope takes the scope from the client. */
function strangeScopes(
  pointer: Pointer,
  keys: readonly ApiKeyEntry[],
  supported: readonly string[] | undefined,
): readonly Finding[] {
  if (supported === undefined) return [];
  const strange = new Map(
    keys.flatMap(({ id, scopes }) =>
      scopes.filter((scope) => !supported.includes(scope)).map((scope) => [scope, id] as const),
    ),
  );
  return [...strange].map(([scope, id]) => ({
    pointer,
    severity: 'warning',
    message: `\`${scope}\` of the key \`${id}\` is not in scopes_supported`,
    hint: didYouMean(scope, supported),
  }));
}
