import type { Command } from 'commander';
import { algorithmsInUse, PUBLISHED_FOR } from '../authorization/keys/signing-keys.ts';
import type { Service } from '../authorization/service/service.ts';
import { seconds } from '../base/clock.ts';
import { makeSigningKey } from '../jwt/sign.ts';
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
  2. Run this command. The services may keep running. If the command is interrupted, run it again.
  3. Remove the old key from each file, and restart the services.
If an old key leaked together with the database, the values that it sealed are exposed. In this case, also replace the
signing keys and the keys of users (\`key rotate --now\`, \`user rotate-key\`).`;

/** `gatehouse key …`: the issuer's signing keys, and the keys that encrypt values in the store. */
export function register(program: Command): void {
  const key = program.command('key').description("the issuer's signing keys");
  subcommand(key, 'list', 'list the keys: next, current, retired').action((options: Administered) =>
    administer(options, list),
  );
  subcommand(
    key,
    'rotate',
    'publish a new key for each algorithm in use; it replaces the old key as soon as all verifiers have had time to fetch the new key',
  )
    .option(
      '--now',
      'for a leaked key: only the new keys are valid, and every JWT that an old key signed becomes invalid; verifiers that cache key sets refuse new JWTs for minutes',
    )
    .addHelpText('after', `\nAfter --now:\n  ${localVerifiers}\n`)
    .action((options: Administered & { now?: true }) => administer(options, (service) => rotate(service, options.now)));
  subcommand(key, 'reseal', 'seal all sealed values in the store again, with the first key of `encryption_keys`')
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

/** Each algorithm in use has its own key. Access tokens use one algorithm, and ID tokens may use several. */
async function rotate(service: Service, atOnce: true | undefined): Promise<CommandReport> {
  const algorithms = algorithmsInUse(service.config);
  if (algorithms.length === 0) throw new Refusal(inFile);
  const createdAt = seconds(service.clock);
  const made = await Promise.all(algorithms.map(async (alg) => ({ ...(await makeSigningKey(alg)), createdAt })));
  return atOnce ? replace(service, made, createdAt) : announce(service, made, createdAt);
}

const inFile = 'the secret of HS256 is in the file: change it there';

async function announce({ records }: Service, made: readonly NewSigningKey[], now: number): Promise<CommandReport> {
  const announced: NewSigningKey[] = [];
  for (const key of made) if (await records.announceSigningKey(key)) announced.push(key);
  if (announced.length === 0) throw new Refusal('the next key is already published, and does not sign yet');
  const signs_from = isoTime(now + PUBLISHED_FOR);
  const text = announced.map(({ alg }) => `The next key for ${alg} is published; it signs from ${signs_from} on.\n`);
  return {
    json: { ...shown(announced), signs_from },
    text: text.join(''),
    audit: { event: 'key_rotated', facts: { kid: kidsOf(announced) } },
  };
}

async function replace(
  { records, config }: Service,
  made: readonly NewSigningKey[],
  now: number,
): Promise<CommandReport> {
  for (const key of made) await records.replaceSigningKeys(key);
  const text = made.map(({ kid, alg }) => `The new key ${kid} is the only key for ${alg}.\n`).join('');
  const ended =
    config.signing.alg === 'HS256'
      ? `Access tokens stay valid, because ${inFile}.`
      : 'Every JWT that an old key signed is now invalid.';
  return {
    json: { ...shown(made), signs_from: isoTime(now) },
    text: `${text}${ended} Running services sign only with new keys, and stop publishing old keys within a second. ${localVerifiers}\n`,
    audit: { event: 'key_rotated', facts: { kid: kidsOf(made), detail: 'by command, at once' } },
  };
}

/** `kid` and `alg` are of the first key, which signs access tokens. */
function shown(keys: readonly NewSigningKey[]) {
  const rows = keys.map(({ kid, alg }) => ({ kid, alg }));
  return { ...rows[0], keys: rows };
}

function kidsOf(keys: readonly NewSigningKey[]): string {
  return keys.map(({ kid }) => kid).join(' ');
}
