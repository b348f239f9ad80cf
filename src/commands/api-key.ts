import { type Command, InvalidArgumentError } from 'commander';
import { seconds, systemClock } from '../base/clock.ts';
import { decodeUtf8 } from '../base/utf8.ts';
import { LAST_TIME, timeOf } from '../config/files/api-keys.ts';
import { unitTable } from '../config/schema/units.ts';
import { type CommandReport, Refusal } from './administration/administer.ts';
import { overlapOption } from './administration/options.ts';
import { scopeOption } from './common/scope-option.ts';
import { apiKeyFile } from './http-users/api-key-file.ts';
import type { ApiKeyPlace } from './http-users/api-key-place.ts';
import { apiKeyStore } from './http-users/api-key-store.ts';
import { apiKeys, type KeyExpiry } from './http-users/api-keys.ts';
import { type FileOrStore, inFileOrStore, runInPlace } from './http-users/file-or-store.ts';

/** `gatehouse api-key …`: API keys of clients that do not use OAuth. */
export function register(program: Command): void {
  const apiKey = program.command('api-key').description('API keys of clients, in a file or in the store');
  at(apiKey.command('create'), 'make a key, which is shown once')
    .requiredOption('--client <id>', 'the owner of the key; the upstream gets this name as X-Auth-Client')
    .addOption(scopeOption('the scope of the key'))
    .option('--expires <when>', EXPIRES, endOf)
    .action(({ client, scope, expires, ...options }: Create) =>
      run(options, (place) => apiKeys.create(place, { client, scope, expires })),
    );
  at(apiKey.command('list'), 'list every key: id, client, scope and expiry').action((options: FileOrStore) =>
    run(options, apiKeys.list),
  );
  at(
    apiKey.command('rotate <id>'),
    'make a new key for the same client and scopes; the old key stays valid for a while',
  )
    .addOption(overlapOption('how long the old key stays valid; 0s ends it at once'))
    .option('--expires <when>', `${EXPIRES}. Required if the old key has an expiry`, endOf)
    .action((id: string, { overlap, expires, ...options }: Rotate) =>
      run(options, (place) => apiKeys.rotate(place, { id, overlap, expires })),
    );
  at(apiKey.command('revoke <id>'), 'remove a key: a gateway refuses it within a second').action(
    (id: string, options: FileOrStore) => run(options, (place) => apiKeys.revoke(place, id)),
  );
  at(apiKey.command('import'), 'import keys that clients already have, from standard input')
    .option(
      '--hmac-key <file>',
      'file with a secret, 32 bytes in base64; the secret protects the hashes of keys with fewer than 128 bits',
    )
    .option('--expires <when>', EXPIRES, endOf)
    .addHelpText('after', INPUT)
    .action(({ hmacKey, expires, ...options }: Import) =>
      run(options, async (place) => apiKeys.import(place, { text: await readInput(), hmacKey, expires })),
    );
}

const EXPIRES = 'expire after this time, such as 90d, or at a UTC date, such as 2027-01-31; by default never';

const INPUT = `
Write one line for each key: KEY CLIENT [SCOPE …]. The command stores only hashes of the keys.
`;

interface Expiring extends FileOrStore {
  readonly expires?: KeyExpiry;
}

interface Create extends Expiring {
  readonly client: string;
  readonly scope?: string;
}

interface Rotate extends Expiring {
  /** Milliseconds. */
  readonly overlap: number;
}

interface Import extends Expiring {
  readonly hmacKey?: string;
}

function at(command: Command, description: string): Command {
  return inFileOrStore(command, {
    description,
    file: 'the file that `api_key: { keys }` names; created if it does not exist',
    config: 'authorization.yaml; `api_key: { keys: { storage } }` of gateway.yaml must name the same store',
  });
}

function run(options: FileOrStore, act: (place: ApiKeyPlace) => Promise<CommandReport>): Promise<void> {
  return runInPlace(options, {
    file: (file) => act(apiKeyFile(file)),
    store: (service) => act(apiKeyStore(service)),
  });
}

function endOf(text: string): KeyExpiry {
  if (text === 'never') return text;
  const now = seconds(systemClock);
  const after = unitTable.duration.convert(text);
  const end = typeof after === 'number' ? now + Math.floor(after / 1000) : timeOf(text);
  if (Number.isNaN(end)) throw new InvalidArgumentError('Write 90d, 12h, 2027-01-31, 2027-01-31T12:00:00Z or never.');
  if (end > LAST_TIME) throw new InvalidArgumentError('This date is after the year 9999: write --expires never.');
  if (end <= now) throw new InvalidArgumentError('This time has passed.');
  return end;
}

/** Bytes: enough for a million keys. */
const LONGEST = 64 * 1024 * 1024;

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > LONGEST) throw new Refusal('the input is too long');
  }
  const text = decodeUtf8(Buffer.concat(chunks));
  if (text === undefined) throw new Refusal('the input is not UTF-8');
  return text;
}
