import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askingEnvoy, type Way } from './asking-envoy.ts';
import { type Engine, loadColumns, type Part, type PartBench } from './part.ts';
import { launcher, measured, type Place, UPSTREAM } from './place.ts';
import { envoyFile } from './programs.ts';
import { same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

const FORWARDED = 'the gateway forwards';
const COMPILED = 'compiled Envoy, CPU of Envoy';
const nameOf: Readonly<Record<Way, string>> = {
  http: 'Envoy asks by HTTP, CPU of the gateway',
  grpc: 'Envoy asks by gRPC, CPU of the gateway',
};

export const decisions: Part = {
  name: 'decisions',
  about:
    'A client sends small requests with one cached JWT. In turn, our gateway forwards them, or an Envoy does and asks our gateway about each. Then an Envoy judges by the compiled rules alone. The first three rows count only the CPU of the gateway.',
  columns: loadColumns,
  beside: [{ title: '÷ forwarding', to: () => FORWARDED }],
  bars: () => [],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

async function contestants({ place, start }: Stage, { engine, connections, say }: PartBench): Promise<Contestant[]> {
  const [http = 0, grpc = 0, ...fronts] = place.morePorts;
  const port = place.autoPort;
  const pid = await start(place.gateway(engine, { port, listener: 'auto', asked: { http, grpc } }));
  const row = (name: string, at: number): Contestant => {
    const target = { url: `http://127.0.0.1:${at}/es/1`, connections, folder: place.folder };
    return { name, pid, prepare: same(target, { token: place.mint.ES256(1) }) };
  };
  const file = envoyFile();
  if (file === undefined) {
    say('no Envoy is installed: npm run peers -- envoy-1.40.0');
    return [row(FORWARDED, port)];
  }
  const ways = [
    { way: 'http', asked: http, listen: fronts[0] as number },
    { way: 'grpc', asked: grpc, listen: fronts[1] as number },
  ] as const;
  for (const each of ways) await start(envoyAt(file, place, each));
  const own = fronts[2] as number;
  const compiled = { ...row(COMPILED, own), pid: await start(compiledAt(file, place, engine, own)) };
  return [row(FORWARDED, port), ...ways.map(({ way, listen }) => row(nameOf[way], listen)), compiled];
}

/** Envoy with the rules of the gateway's file, apart from those that it cannot judge. */
function compiledAt(file: string, place: Place, engine: Engine, port: number) {
  const out = join(place.folder, 'compiled');
  const rules = place.gatewayFile(engine, { port });
  const args = ['compile', 'envoy', '--config', rules, '--on-unsupported', 'omit', '--out', out];
  execFileSync(process.execPath, [launcher, ...args]);
  return measured({ file, args: ['-c', join(out, 'envoy.yaml'), ...ALONE], ports: [port] });
}

interface Front {
  readonly way: Way;
  readonly asked: number;
  readonly listen: number;
}

function envoyAt(file: string, { folder }: Place, { way, asked, listen }: Front) {
  const config = join(folder, `envoy-asks-${way}.json`);
  writeFileSync(config, askingEnvoy({ way, listen, asked, upstream: UPSTREAM }));
  return measured({ file, args: ['-c', config, ...ALONE], ports: [listen] });
}

const ALONE = ['--concurrency', '1', '--log-level', 'error', '--disable-hot-restart'];
