import { loadColumns, type Part, type PartBench } from './part.ts';
import { programs } from './programs.ts';
import { same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

const MOST = 1000;
const COUNTS = [1, 50, MOST] as const;
const NGINX = 'nginx auth_request, cached';

export const connections: Part = {
  name: 'connections',
  about:
    'Each row names a number of kept connections, which are all busy. Each small GET has a cached JWT. The fixed contenders are not measured with 1,000 connections: nginx.conf allows too few connections, and floor.mjs hangs after clients disconnect.',
  columns: loadColumns,
  beside: [
    { title: '÷ 50 connections', to: (name) => name.replace(/: \d+ connections?$/, ': 50 connections') },
    { title: '÷ nginx auth_request', to: (name) => name.replace(/^[^:]+/, NGINX) },
  ],
  bars: () => [],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

interface Who {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Connections. */
  readonly most: number;
}

async function contestants({ place, start }: Stage, { engine }: PartBench): Promise<Contestant[]> {
  const who: readonly Who[] = [
    { name: 'Gatehouse, JWT cached', port: place.ports[engine], pid: await start(place.gateway(engine)), most: MOST },
    { name: NGINX, port: 9002, pid: await start(programs.nginx.command(place)), most: 50 },
    { name: 'floor', port: 9103, pid: await start(programs.floor.command(place)), most: 50 },
  ];
  const { folder, mint } = place;
  return COUNTS.flatMap((count) =>
    who
      .filter(({ most }) => count <= most)
      .map(({ name, port, pid }) => ({
        name: `${name}: ${count} connection${count === 1 ? '' : 's'}`,
        pid,
        prepare: same({ url: `http://127.0.0.1:${port}/es/1`, connections: count, folder }, { token: mint.ES256(1) }),
      })),
  );
}
