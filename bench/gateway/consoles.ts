import { get, type IncomingMessage } from 'node:http';
import { type Bar, cpuRatio, loadColumns, type Part, type PartBench } from './part.ts';
import { same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

const NONE = 'no console is open';
const THREE = 'three consoles are open';
/** What each of the three shows. */
const filters = ['', 'status:4xx', 'route:es -client:shop'];

export const consoles: Part = {
  name: 'consoles',
  about:
    'A client sends small requests with one cached JWT. The rounds alternate: no client watches the decisions, or three streams of the console do, each with a different filter.',
  columns: loadColumns,
  beside: [{ title: '÷ no console', to: () => NONE }],
  bars: () => [bar],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

const bar: Bar = {
  title: 'a request with three consoles ÷ without',
  value: cpuRatio(THREE, NONE),
  bar: 1.05,
  goal: 1.02,
};

async function contestants({ place, start }: Stage, { engine, connections }: PartBench): Promise<Contestant[]> {
  const [port, admin] = [place.autoPort, place.morePorts[0] as number];
  const pid = await start(place.gateway(engine, { port, listener: 'auto', admin }));
  const target = { url: `http://127.0.0.1:${port}/es/1`, connections, folder: place.folder };
  const load = same(target, { token: place.mint.ES256(1) });
  return [
    { name: NONE, pid, prepare: load },
    { name: THREE, pid, prepare: watched(load, admin) },
  ];
}

function watched(load: Contestant['prepare'], admin: number): Contestant['prepare'] {
  return async (seconds) => {
    const run = await load(seconds);
    const streams = await Promise.all(filters.map((filter) => open(admin, filter)));
    return async () => {
      const measured = await run();
      for (const stream of streams) stream.destroy();
      return measured;
    };
  };
}

/** Reads everything, as a browser does. Resolves when the stream has given the decisions that the gateway keeps. */
async function open(admin: number, filter: string): Promise<IncomingMessage> {
  const url = `http://127.0.0.1:${admin}/api/decisions?filter=${encodeURIComponent(filter)}`;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent: false, headers: { accept: 'text/event-stream' } }, resolve).on('error', reject);
  const response = await promise;
  if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`);
  response.on('error', () => {});
  await keptOnes(response);
  return response.resume();
}

/** A message without decisions ends them. */
async function keptOnes(response: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = '';
  response.setEncoding('utf8').on('data', function read(chunk: string) {
    text = (text + chunk).slice(-END.length - chunk.length);
    if (!text.includes(END)) return;
    response.off('data', read);
    resolve();
  });
  await promise;
}

const END = 'data: {"decisions":[],';
