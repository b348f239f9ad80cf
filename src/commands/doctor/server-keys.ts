import { keySet } from '../../gateway/verify/key-set.ts';
import { keySourceOf } from '../../gateway/verify/key-source.ts';
import type { RefusedKey } from '../../jwt/keys.ts';
import { remedyFor } from './connection-fault.ts';
import { bad, doubtful, good, type Probe, type Seen } from './finding.ts';
import type { RemoteView } from './remote-view.ts';
import { membersNeeded, publishedAlgorithms } from './server-uses.ts';

/** They can be fetched, and at least one fits an algorithm that is accepted. */
export function serverKeys(view: RemoteView): readonly Probe[] {
  const { name, config } = view;
  if (publishedAlgorithms(config).length === 0) return [];
  return [{ about: `${name} keys${named(view)}`, look: () => lookAt(view) }];
}

function named({ config: { jwks_uri, jwks_file } }: RemoteView): string {
  const place = jwks_file ?? jwks_uri;
  return place === undefined ? '' : ` ${place}`;
}

async function lookAt(view: RemoteView): Promise<readonly Seen[]> {
  const { config, about } = view;
  // that the metadata names none is a finding of its own
  if (membersNeeded(config).includes('jwks_uri') && typeof (await about.endpoint('jwks_uri')) !== 'string') return [];
  const { fault, refused } = await load(view);
  const accepted = config.algorithms.join(', ');
  const left = refused.map(({ kid = 'without a kid', reason }) =>
    doubtful(`the key ${kid} is not used: ${reason}`, `accepted are ${accepted} (\`algorithms\`)`),
  );
  if (fault === undefined) return [good(`at least one is usable for ${accepted}`), ...left];
  return [
    bad(
      fault,
      remedyFor(fault, `the key set must have a public key for one of ${accepted}, or \`algorithms\` name what it has`),
    ),
  ];
}

interface Loaded {
  readonly fault: string | undefined;
  readonly refused: readonly RefusedKey[];
}

/** As the gateway takes them, once. */
async function load({ config, directory, clock, fetch, about, opened }: RemoteView): Promise<Loaded> {
  const { ttl, cooldown, stale_if_error: staleIfError } = config.jwks;
  let fault: string | undefined;
  let refused: readonly RefusedKey[] = [];
  const told = (fields: object) => {
    if ('refused' in fields) refused = fields.refused as readonly RefusedKey[];
  };
  const keys = keySet({
    source: keySourceOf(config, { fetch, about, directory }),
    algorithms: publishedAlgorithms(config),
    ttl,
    cooldown,
    staleIfError,
    clock,
    log: { info: told, warn: told, error: told },
    faults: {
      failed: (detail) => {
        fault = detail;
      },
      recovered() {},
    },
  });
  opened.defer(() => keys.close());
  await keys.start();
  return { fault, refused };
}
