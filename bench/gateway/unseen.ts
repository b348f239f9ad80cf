import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joseVerify } from './jose-verify.ts';
import { type Figures, loadColumns, type Part, type PartBench, type Round, type Turn } from './part.ts';
import type { Place } from './place.ts';
import { neverSeen, same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Algorithm, type Mint, opaqueToken } from './tokens.ts';
import { type Contestant, runTurns } from './turns.ts';

/** Tokens of one kind. */
interface Kind {
  readonly name: string;
  readonly path: string;
  readonly mint: (place: Place) => Mint;
  /** More than it answers. */
  readonly perSecond: number;
}

const kinds: readonly Kind[] = [
  { name: 'JWT HS256', path: '/hs/1', mint: ({ mint }) => mint.HS256, perSecond: 40_000 },
  { name: 'JWT ES256', path: '/es/1', mint: ({ mint }) => mint.ES256, perSecond: 12_000 },
  { name: 'opaque', path: '/opaque/1', mint: () => opaqueToken, perSecond: 20_000 },
];

export const unseen: Part = {
  name: 'unseen',
  about:
    'A small GET has a token that the gateway has never seen, or a cached token. The last rows show one jwtVerify of jose.',
  columns: loadColumns,
  beside: [
    { title: '÷ cached', to: (name) => (name.startsWith('jose') ? undefined : name.replace('unseen', 'cached')) },
  ],
  bars: () => [
    { title: '(JWT ES256 unseen − cached) ÷ one jose verify', value: verificationShare('ES256'), bar: 1.2, goal: 1.0 },
  ],
  measure: (bench) => onStage((stage) => measure(stage, bench)),
};

/** What a token that was not seen before costs, in verifications by jose. */
function verificationShare(algorithm: Algorithm): (round: Round) => number {
  return (round) => {
    const cpu = (name: string) => round(name)?.cpu ?? Number.NaN;
    return (cpu(`JWT ${algorithm} unseen`) - cpu(`JWT ${algorithm} cached`)) / cpu(joseName(algorithm));
  };
}

function joseName(algorithm: Algorithm): string {
  return `jose jwtVerify ${algorithm}`;
}

async function measure(stage: Stage, bench: PartBench): Promise<Turn[]> {
  const verified: Turn[] = [];
  const turns = await runTurns(await contestants(stage, bench), bench, async (round) => {
    for (const algorithm of ['HS256', 'ES256'] as const)
      verified.push({ name: joseName(algorithm), round, figures: await verify(stage.place, algorithm, bench) });
  });
  return [...turns, ...verified];
}

async function contestants({ place, start }: Stage, { engine, connections }: PartBench): Promise<Contestant[]> {
  const pid = await start(place.gateway(engine));
  return kinds.flatMap(({ name, path, mint, perSecond }) => {
    const target = { url: `http://127.0.0.1:${place.ports[engine]}${path}`, connections, folder: place.folder };
    const make = mint(place);
    return [
      { name: `${name} cached`, pid, prepare: same(target, { token: make(0) }) },
      { name: `${name} unseen`, pid, prepare: neverSeen(target, make, perSecond) },
    ];
  });
}

/** Each token once. */
const VERIFIED = 20_000;

async function verify(place: Place, algorithm: Algorithm, { say }: PartBench): Promise<Figures> {
  const { folder, mint, keys, issuers } = place;
  const tokens = join(folder, 'to-verify');
  writeFileSync(tokens, Array.from({ length: VERIFIED }, (_, number) => mint[algorithm](number)).join('\n'));
  const { cpu, user, system, perSecond } = await joseVerify({
    tokens,
    algorithm,
    issuer: issuers[algorithm],
    keys,
    folder,
  });
  say(`${joseName(algorithm)}: ${cpu.toFixed(1)} µs`);
  return { cpu, user, system, perSecond };
}
