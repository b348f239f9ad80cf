import type { Command } from 'commander';
import { algorithmsInUse, PUBLISHED_FOR } from '../authorization/keys/signing-keys.ts';
import type { Service } from '../authorization/service/service.ts';
import { seconds } from '../base/clock.ts';
import { makeSigningKey, type SigningAlgorithm } from '../jwt/sign.ts';
import type { NewSigningKey } from '../storage/records/records.ts';
import { type Administered, administer, type CommandReport, Refusal } from './administration/administer.ts';
import { subcommand } from './administration/options.ts';
import { resealKeys } from './administration/reseal.ts';
import { isoTime } from './administration/shown.ts';
import { table } from './common/table.ts';

const localVerifiers =
  'Gateways that follow the revocation feed refuse JWTs of an old key within a second. Restart gateways that verify JWTs locally without the feed: they accept JWTs of an old key until they fetch keys again (`jwks.ttl`, 10m by default).';

const resealing = `To retire a key of \`encryption_keys\`:
  1. Add the new key in front of the old one, in the file of each service and gateway, and restart them.
  2. Run this command. The services may keep running. After an interruption, run it again.
  3. Remove the old key from each file, and restart the services.
If an old key leaked together with the database, its sealed values are exposed. Rotate those keys too
(\`key rotate --now\`, \`user rotate-key\`).`;

/** `gatehouse key …`: the issuer's signing keys, and the keys that encrypt values in the store. */
export function register(program: Command): void {
  const key = program.command('key').description("the issuer's signing keys");
  subcommand(key, 'list', 'list the keys: next, current, retired').action((options: Administered) =>
    administer(options, list),
  );
  subcommand(key, 'rotate', 'publish a new key; it replaces the old key once every verifier can know it')
    .option('--alg <alg>', 'the algorithm of the key; by default `signing.alg`. ID tokens also use other algorithms')
    .option(
      '--now',
      'for a leaked key: only the new key is valid, and every earlier JWT ends; verifiers that cache key sets refuse new JWTs for minutes',
    )
    .addHelpText('after', `\nAfter --now:\n  ${localVerifiers}\n`)
    .action((options: Administered & RotateOptions) => administer(options, (service) => rotate(service, options)));
  subcommand(key, 'reseal', 'encrypt everything in the store again with the first of `encryption_keys`')
    .addHelpText('after', `\n${resealing}\n`)
    .action((options: Administered) => administer(options, resealKeys));
}

async function list({ records }: Service): Promise<CommandReport> {
  const rows = (await records.listSigningKeys()).map(({ kid, alg, status, createdAt, retiredAt }) => ({
    kid,
    alg,
    status,
    created_at: isoTime(createdAt),
    retired_at: retiredAt === undefined ? undefined : isoTime(retiredAt),
  }));
  const cells = rows.map(({ kid, alg, status, created_at, retired_at }) => [
    kid,
    alg,
    status,
    created_at,
    retired_at ?? '-',
  ]);
  return { json: rows, text: table([['KEY', 'ALG', 'STATUS', 'MADE', 'RETIRED'], ...cells]) };
}

interface RotateOptions {
  readonly alg?: string;
  readonly now?: true;
}

/** The algorithm must be one that the service signs with. */
function algorithmOf({ config }: Service, asked: string = config.signing.alg): SigningAlgorithm {
  if (asked === 'HS256') throw new Refusal('the secret of HS256 is in the file: change it there');
  const used = algorithmsInUse(config);
  const alg = used.find((each) => each === asked);
  if (alg === undefined) throw new Refusal(`the service does not sign with ${asked}: use ${used.join(' or ')}`);
  return alg;
}

async function rotate(service: Service, { alg: asked, now: atOnce }: RotateOptions): Promise<CommandReport> {
  const { records, clock } = service;
  const alg = algorithmOf(service, asked);
  const now = seconds(clock);
  const key = { ...(await makeSigningKey(alg)), createdAt: now };
  if (atOnce) return replace(records, key, now);
  if (!(await records.announceSigningKey(key)))
    throw new Refusal('the next key is already published, and does not sign yet');
  const signs_from = isoTime(now + PUBLISHED_FOR);
  const text = `The next key is published; it signs from ${signs_from} on.\n`;
  return { json: { kid: key.kid, alg, signs_from }, text, audit: { event: 'key_rotated', facts: { kid: key.kid } } };
}

async function replace(records: Service['records'], key: NewSigningKey, now: number): Promise<CommandReport> {
  await records.replaceSigningKeys(key);
  const { kid, alg } = key;
  const text = `The new key ${kid} is the only key, and every earlier JWT ends. Running services sign only with the new key, and stop publishing the old key within a second. ${localVerifiers}\n`;
  return {
    json: { kid, alg, signs_from: isoTime(now) },
    text,
    audit: { event: 'key_rotated', facts: { kid, detail: 'by command, at once' } },
  };
}
