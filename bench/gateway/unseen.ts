import { joseServer } from './jose-command.ts';
import { type Bar, loadColumns, type Part, type PartBench, type Round } from './part.ts';
import type { Place } from './place.ts';
import { neverSeen, same, type Target } from './requests.ts';
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

const JOSE = 'server with jose: ';
const NOTHING = `${JOSE}nothing verified`;
const verifiedBy = ['HS256', 'ES256'] as const;

function joseName(algorithm: Algorithm): string {
  return `${JOSE}JWT ${algorithm} verified`;
}

export const unseen: Part = {
  name: 'unseen',
  about:
    'A small GET has a token that the gateway has never seen, or a cached token. The gateway has the default file. The last rows show a server that forwards the same requests. It verifies each token with jose, or verifies nothing.',
  columns: loadColumns,
  beside: [
    {
      title: '÷ cached, or nothing verified',
      to: (name) => (name.startsWith(JOSE) ? NOTHING : name.replace('unseen', 'cached')),
    },
  ],
  bars: () => [bar('ES256')],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

function bar(algorithm: Algorithm): Bar {
  const title = `(JWT ${algorithm} unseen − cached) ÷ one jose verify in a loaded server`;
  return { title, value: verificationShare(algorithm), bar: 1.0, goal: 0.7 };
}

/** What a token that was not seen before costs, in verifications by jose. Both are differences under load. */
function verificationShare(algorithm: Algorithm): (round: Round) => number {
  return (round) => {
    const cpu = (name: string) => round(name)?.cpu ?? Number.NaN;
    const ours = cpu(`JWT ${algorithm} unseen`) - cpu(`JWT ${algorithm} cached`);
    return ours / (cpu(joseName(algorithm)) - cpu(NOTHING));
  };
}

async function contestants(stage: Stage, bench: PartBench): Promise<Contestant[]> {
  return [...(await startGateway(stage, bench)), ...(await startJose(stage, bench))];
}

async function startGateway({ place, start }: Stage, bench: PartBench): Promise<Contestant[]> {
  const port = place.autoPort;
  const pid = await start(place.gateway(bench.engine, { port, isDefault: true }));
  return kinds.flatMap(({ name, path, mint, perSecond }) => {
    const target = targetOf(place, { port, path, bench });
    const make = mint(place);
    return [
      { name: `${name} cached`, pid, prepare: same(target, { token: make(0) }) },
      { name: `${name} unseen`, pid, prepare: neverSeen(target, make, perSecond) },
    ];
  });
}

/** More a second than the server answers. */
const VERIFIED_A_SECOND = 20_000;

async function startJose({ place, start }: Stage, bench: PartBench): Promise<Contestant[]> {
  const [port = 0] = place.morePorts;
  const pid = await start(joseServer(place, port));
  const target = (path: string) => targetOf(place, { port, path, bench });
  const { mint } = place;
  return [
    { name: NOTHING, pid, prepare: same(target('/none/1'), { token: mint.ES256(0) }) },
    ...verifiedBy.map((algorithm) => ({
      name: joseName(algorithm),
      pid,
      prepare: neverSeen(target(`/${algorithm}/1`), mint[algorithm], VERIFIED_A_SECOND),
    })),
  ];
}

interface Address {
  readonly port: number;
  readonly path: string;
  readonly bench: PartBench;
}

function targetOf({ folder }: Place, { port, path, bench: { connections } }: Address): Target {
  return { url: `http://127.0.0.1:${port}${path}`, connections, folder };
}
