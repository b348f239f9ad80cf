import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from '../children.ts';
import { inTurn } from '../in-turn.ts';
import type { Bar, Figures, Part, PartBench, Round, Turn } from './part.ts';
import { measured, type Place } from './place.ts';
import { neverSeen, same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import type { Contestant } from './turns.ts';

const IDLE = 'idle process';
const CACHED = 'JWT cached';
const UNSEEN = 'JWT ES256 unseen';
const FEW = 50;

export const eventLoop: Part = {
  name: 'event-loop',
  about:
    'The table shows how late timers of 1 ms are, in our gateway under full load and in an idle process of Node.js.',
  columns: [
    { key: 'p50', title: 'p50 ms', digits: 2 },
    { key: 'p99', title: 'p99 ms', digits: 2 },
    { key: 'p999', title: 'p99.9 ms', digits: 2 },
    { key: 'most', title: 'most ms', digits: 2 },
    { key: 'perSecond', title: 'requests/s', digits: 0 },
  ],
  beside: [],
  bars: () => [CACHED, UNSEEN].map(bar),
  measure: (bench) => onStage((stage) => measure(stage, bench)),
};

function nameOf(load: string, connections: number): string {
  return `${load}, ${connections} connections`;
}

function bar(load: string): Bar {
  const p999 = (round: Round, name: string) => round(name)?.p999 ?? Number.NaN;
  const value = (round: Round) => p999(round, nameOf(load, FEW)) - p999(round, IDLE);
  return { title: `event loop p99.9 beyond idle, ${load}, in ms`, value, bar: 20, goal: 5 };
}

interface Subject {
  readonly name: string;
  /** The port of its probe. */
  readonly port: number;
  readonly load: (seconds: number) => Promise<{ readonly perSecond: number }>;
}

async function measure(stage: Stage, { rounds, seconds, engine, say }: PartBench): Promise<Turn[]> {
  const subjects = await startAll(stage, engine);
  for (const { load } of subjects) await load(seconds);
  const turns: Turn[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { name, port, load } of inTurn(subjects, round)) {
      await readProbe(port);
      const { perSecond } = await load(seconds);
      const figures: Figures = { ...(await readProbe(port)), perSecond };
      say(`round ${round}: ${name}: p99.9 ${figures.p999?.toFixed(2)} ms`);
      turns.push({ name, round, figures });
    }
  }
  return turns;
}

async function startAll({ place, start }: Stage, engine: PartBench['engine']): Promise<Subject[]> {
  const [, , , idlePort = 0, port = 0] = place.morePorts;
  await start(measured(probed({ file: process.execPath, args: ['-e', ''], ports: [idlePort] }, idlePort)));
  await start(probed(place.gateway(engine), port));
  const idle = async (seconds: number) => {
    await pause(seconds * 1000);
    return { perSecond: 0 };
  };
  return [{ name: IDLE, port: idlePort, load: idle }, ...loads(place, engine).map((each) => ({ ...each, port }))];
}

const probe = fileURLToPath(new URL('event-loop-probe.mjs', import.meta.url));

function probed(command: Command, port: number): Command {
  return { ...command, env: { NODE_OPTIONS: `--import=${probe}`, PROBE_PORT: String(port) } };
}

/** More a second than it answers. */
const UNSEEN_A_SECOND = 12_000;

function loads({ ports, folder, mint }: Place, engine: PartBench['engine']): Omit<Subject, 'port'>[] {
  const url = `http://127.0.0.1:${ports[engine]}/es/1`;
  const cached = (connections: number) => ({
    name: nameOf(CACHED, connections),
    load: sending(same({ url, connections, folder }, { token: mint.ES256(0) })),
  });
  const unseen = neverSeen({ url, connections: FEW, folder }, mint.ES256, UNSEEN_A_SECOND);
  return [cached(FEW), cached(1000), { name: nameOf(UNSEEN, FEW), load: sending(unseen) }];
}

function sending(prepare: Contestant['prepare']): Subject['load'] {
  return async (seconds) => {
    const send = await prepare(seconds);
    return send();
  };
}

async function readProbe(port: number): Promise<Figures> {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  return (await response.json()) as Figures;
}
