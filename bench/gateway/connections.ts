import { type Bar, loadColumns, nameBy, type Part, type PartBench } from './part.ts';
import { programs } from './programs.ts';
import { same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

const MOST = 500;
const FEW = 32;
const COUNTS = [1, FEW, MOST] as const;
const NGINX = 'nginx auth_request, cached';

function nameOf(who: string, count: number): string {
  return `${who}: ${count} connection${count === 1 ? '' : 's'}`;
}

export const connections: Part = {
  name: 'connections',
  about: `Each row names a number of kept connections, which are all busy. Each small GET has a cached JWT. The fixed contenders are not measured with ${MOST} connections: nginx.conf allows too few connections, and floor.mjs hangs after clients disconnect.`,
  columns: loadColumns,
  beside: [
    { title: `÷ ${FEW} connections`, to: (name) => name.replace(/: \d+ connections?$/, `: ${FEW} connections`) },
    { title: '÷ nginx auth_request', to: (name) => name.replace(/^[^:]+/, NGINX) },
  ],
  bars: () => [slowest],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

const slowest: Bar = {
  title: `p99 with ${MOST} connections: listener auto ÷ listener node`,
  value: (round) => p99(round(nameOf(nameBy('auto'), MOST))) / p99(round(nameOf(nameBy('node'), MOST))),
  bar: 0.5,
  goal: 0.2,
};

function p99(figures: Readonly<Record<string, number>> | undefined): number {
  return figures?.p99 ?? Number.NaN;
}

interface Who {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Connections. */
  readonly most: number;
}

async function contestants({ place, start }: Stage, { engine }: PartBench): Promise<Contestant[]> {
  const auto = place.autoPort;
  const who: readonly Who[] = [
    { name: nameBy('node'), port: place.ports[engine], pid: await start(place.gateway(engine)), most: MOST },
    {
      name: nameBy('auto'),
      port: auto,
      pid: await start(place.gateway(engine, { port: auto, listener: 'auto' })),
      most: MOST,
    },
    { name: NGINX, port: 9002, pid: await start(programs.nginx.command(place)), most: FEW },
    { name: 'floor', port: 9103, pid: await start(programs.floor.command(place)), most: FEW },
  ];
  const { folder, mint } = place;
  return COUNTS.flatMap((count) =>
    who
      .filter(({ most }) => count <= most)
      .map(({ name, port, pid }) => ({
        name: nameOf(name, count),
        pid,
        prepare: same({ url: `http://127.0.0.1:${port}/es/1`, connections: count, folder }, { token: mint.ES256(1) }),
      })),
  );
}
