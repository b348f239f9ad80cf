import { type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import { runningMetrics } from './running-gateway.ts';
import type { LoadedGatewayFile } from './subject.ts';

const MIB = 1024 * 1024;

/** What a request costs depends on the code that reads it, and on the engine. Known only while the gateway runs. */
export function dataPath(subject: LoadedGatewayFile): readonly DoctorProbe[] {
  const metrics = runningMetrics(subject);
  if (metrics === undefined) return [];
  const look = async (signal: AbortSignal) => {
    const text = (await metrics(signal)) ?? '';
    return [...readersIn(text), ...fallbacksIn(text)];
  };
  return [{ about: 'the running gateway', look }];
}

/** Values of `gatehouse_listener_reader`. */
const readers: Readonly<Record<string, (memory: string) => Seen>> = {
  lent: (memory) => good(`our own listener reads requests in the way that costs the least CPU; ${memory}`),
  node: (memory) => good(`the server of Node.js reads requests; ${memory}`),
  data: (memory) =>
    doubtful(
      `our own listener needs a buffer for each read, which costs up to a quarter more CPU; ${memory}`,
      'this Node.js cannot share a buffer: use the version of Node.js that the container image has',
    ),
};

function readersIn(metrics: string): readonly Seen[] {
  const [, reader = ''] = /^gatehouse_listener_reader\{reader="(\w+)"\} [1-9]/m.exec(metrics) ?? [];
  const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(metrics) ?? [];
  const memory = bytes === undefined ? 'memory unknown' : `${Math.round(Number(bytes) / MIB)} MiB are resident`;
  const seen = Object.hasOwn(readers, reader) ? readers[reader] : undefined;
  return seen === undefined ? [] : [seen(memory)];
}

function fallbacksIn(metrics: string): readonly Seen[] {
  const served = metrics.matchAll(/^gatehouse_upstream_engine_fallback\{upstream="([^"]+)",url="([^"]+)"\} 1$/gm);
  return [...served].map(([, upstream, url]) => ({
    ...doubtful(
      `undici serves ${url}, so a small GET costs about 1.5 times as much CPU`,
      'docs/upstream-answers.md names the answers that `engine: own` does not understand',
    ),
    about: `upstreams.${upstream}`,
  }));
}
