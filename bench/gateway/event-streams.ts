import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Command } from '../children.ts';
import { pinned } from '../cores.ts';
import { EVENT_BYTES, EVERY, STREAMS } from './event-stream-rate.ts';
import { loadColumns, type Part, type PartBench } from './part.ts';
import { beside, type Place, UPSTREAM } from './place.ts';
import { same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

/** The most MiB of one half of V8's young generation; undefined: V8 chooses. */
const sizes = [1, 16, undefined] as const;
type Size = (typeof sizes)[number];

const AS_IN_IMAGE = 16;
const loads = ['events', 'small GET'] as const;
type Load = (typeof loads)[number];

function nameOf(size: Size, load: string): string {
  return `${size === undefined ? 'V8 chooses' : `${size} MiB`}: ${load}`;
}

export const eventStreams: Part = {
  name: 'event-streams',
  about: `Each row names the value of V8's --max-semi-space-size. The image has ${AS_IN_IMAGE}. ${STREAMS} clients read event streams, and each stream has an event of ${EVENT_BYTES} bytes every ${EVERY} ms. These rows count an event as a request. Their times are the way of an event through the gateway. The other rows have small GETs with a cached JWT.`,
  columns: loadColumns,
  beside: [{ title: `÷ ${AS_IN_IMAGE} MiB`, to: (name) => name.replace(/^[^:]+/, `${AS_IN_IMAGE} MiB`) }],
  bars: () => [],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench), upstream),
};

const server = fileURLToPath(new URL('event-stream-server.ts', import.meta.url));

function upstream(): Command {
  return beside({ file: process.execPath, args: [server, String(UPSTREAM)], ports: [UPSTREAM] });
}

async function contestants({ place, start }: Stage, { engine, connections }: PartBench): Promise<Contestant[]> {
  const all: Contestant[] = [];
  for (const [index, size] of sizes.entries()) {
    const port = place.morePorts[index] ?? 0;
    const pid = await start(withSize(place.gateway(engine, { port, isDefault: true }), size));
    const target = { url: `http://127.0.0.1:${port}/es/1`, connections, folder: place.folder };
    const prepare: Readonly<Record<Load, Contestant['prepare']>> = {
      events: events(port, place),
      'small GET': same(target, { token: place.mint.ES256(1) }),
    };
    all.push(...loads.map((load) => ({ name: nameOf(size, load), pid, prepare: prepare[load] })));
  }
  return all;
}

function withSize(command: Command, size: Size): Command {
  return size === undefined ? command : { ...command, env: { NODE_OPTIONS: `--max-semi-space-size=${size}` } };
}

const load = fileURLToPath(new URL('event-stream-load.ts', import.meta.url));

function events(port: number, { mint }: Place): Contestant['prepare'] {
  return async (seconds) => {
    const args = [load, String(port), mint.ES256(1), String(seconds)];
    const { file, args: all } = pinned({ file: process.execPath, args, ports: [] }, 'load');
    return async () => JSON.parse((await promisify(execFile)(file, [...all])).stdout);
  };
}
