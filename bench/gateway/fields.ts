import { type Bar, BY_DEFAULT, cpuRatio, loadColumns, nameBy, type Part, type PartBench } from './part.ts';
import type { Place } from './place.ts';
import { programs } from './programs.ts';
import { same, type Target, varied } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

/** What a client sends on a kept connection, in addition to its cached JWT. */
interface Kind {
  readonly name: string;
  readonly prepare: (target: Target, token: string) => Contestant['prepare'];
}

const SAME = 'the same fields';
const FIELD = 'another field each time';
const POST = 'POST of 1 KiB';
const kinds: readonly Kind[] = [
  { name: SAME, prepare: (target, token) => same(target, { token }) },
  { name: FIELD, prepare: (target, token) => varied(target, token, 'field') },
  { name: 'another path each time', prepare: (target, token) => varied(target, token, 'path') },
  {
    name: POST,
    prepare: (target, token) =>
      same(target, { token, method: 'POST', type: 'application/octet-stream', body: 'string.rep("x", 1024)' }),
  },
];

const NGINX = 'nginx auth_request, cached';
const nameOf = (who: string, kind: string) => `${who}: ${kind}`;

export const fields: Part = {
  name: 'fields',
  about:
    'A client sends small requests with one cached JWT on each connection. Rows differ in what a request has that the request before did not have.',
  columns: loadColumns,
  beside: [
    { title: '÷ nginx auth_request', to: (name) => name.replace(/^[^:]+/, NGINX) },
    { title: '÷ the same fields', to: (name) => name.replace(/: .*/, `: ${SAME}`) },
  ],
  bars: () => [bar(SAME, 1.1, 0.9), bar(FIELD, 1.25, 1.0), bar(POST, 1.6, 1.2)],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

function bar(kind: string, most: number, goal: number): Bar {
  const value = cpuRatio(nameOf(BY_DEFAULT, kind), nameOf(NGINX, kind));
  return { title: `JWT cached, ${kind} ÷ nginx auth_request with a cached answer`, value, bar: most, goal };
}

async function contestants({ place, start }: Stage, { engine, connections }: PartBench): Promise<Contestant[]> {
  const port = place.autoPort;
  const who = [
    { name: NGINX, port: 9002, pid: await start(programs.nginx.command(place)) },
    { name: nameBy('node'), port: place.ports[engine], pid: await start(place.gateway(engine)) },
    { name: BY_DEFAULT, port, pid: await start(place.gateway(engine, { port, isDefault: true })) },
  ];
  return kinds.flatMap(({ name, prepare }) =>
    who.map((each) => ({
      name: nameOf(each.name, name),
      pid: each.pid,
      prepare: prepare(target(each.port, connections, place), place.mint.ES256(1)),
    })),
  );
}

function target(port: number, connections: number, { folder }: Place): Target {
  return { url: `http://127.0.0.1:${port}/es/1`, connections, folder };
}
