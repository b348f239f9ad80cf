import { type Command, InvalidArgumentError } from 'commander';
import { seconds, systemClock } from '../base/clock.ts';
import { printableJson } from '../base/printable.ts';
import { decodeUtf8 } from '../base/utf8.ts';
import { timeOf } from '../config/files/api-keys.ts';
import { unitTable } from '../config/schema/units.ts';
import { Refusal, type Report } from './administration/administer.ts';
import { keysInFile } from './http-users/api-keys-in-file.ts';

/** `gatehouse api-key …`: the keys of clients that know no OAuth. */
export function register(program: Command): void {
  const apiKey = program
    .command('api-key')
    .description('API keys of clients, in the file that `api_key: { keys }` names');
  inFile(apiKey.command('create'), 'make a key, which is shown once')
    .requiredOption('--client <id>', 'whose key it is: what the upstream gets as X-Auth-Client')
    .option('--scope <scope>', 'space-delimited')
    .option('--expires <when>', EXPIRES, endOf)
    .action(({ file, client, scope, expires, json }: InFile & Expiring & { client: string; scope?: string }) =>
      run(json, () => keysInFile.create(file, { client, scope, expiresAt: expires })),
    );
  inFile(apiKey.command('list'), 'every key by its id, with client, scope and end').action(({ file, json }: InFile) =>
    run(json, () => keysInFile.list(file)),
  );
  inFile(apiKey.command('revoke <id>'), 'remove a key; the gateway refuses it once it has read the file').action(
    (id: string, { file, json }: InFile) => run(json, () => keysInFile.revoke(file, id)),
  );
  inFile(apiKey.command('import'), 'take over keys that clients have already, from standard input')
    .option('--hmac-key <file>', 'the secret, 32 bytes in base64, by which keys under 128 bits are kept')
    .option('--expires <when>', EXPIRES, endOf)
    .addHelpText('after', INPUT)
    .action(({ file, hmacKey, expires, json }: InFile & Expiring & { hmacKey?: string }) =>
      run(json, async () => keysInFile.import(file, { text: await readInput(), hmacKey, expiresAt: expires })),
    );
}

const EXPIRES = 'after this time, such as 90d, or at a date in UTC, such as 2027-01-31; without it never';

const INPUT = `
A line for each key: KEY CLIENT [SCOPE …]. They are hashed on the way, and never written down.
`;

interface InFile {
  readonly file: string;
  readonly json?: true;
}

interface Expiring {
  /** NumericDate, seconds. */
  readonly expires?: number;
}

function inFile(command: Command, description: string): Command {
  return command
    .description(description)
    .requiredOption('--file <file>', 'what `api_key: { keys }` names; made where it is not there')
    .option('--json', 'print JSON');
}

/** NumericDate. */
function endOf(text: string): number {
  const now = seconds(systemClock);
  const after = unitTable.duration.convert(text);
  const end = typeof after === 'number' ? now + Math.floor(after / 1000) : timeOf(text);
  if (Number.isNaN(end)) throw new InvalidArgumentError('Write 90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z.');
  if (end <= now) throw new InvalidArgumentError('That time has passed.');
  return end;
}

/** Bytes: a million keys. */
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

async function run(json: true | undefined, act: () => Report | Promise<Report>): Promise<void> {
  try {
    const report = await act();
    process.stdout.write(json ? printableJson(report.json) : report.text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`gatehouse: ${error.message}\n`);
    process.exitCode = 1;
  }
}
