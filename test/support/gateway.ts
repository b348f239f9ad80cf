import { Writable } from 'node:stream';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { systemClock } from '../../src/base/clock.ts';
import { buildLog } from '../../src/base/log.ts';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { startGateway } from '../../src/gateway/lifecycle/start.ts';
import { textWithChosen, withChosen } from './chosen.ts';
import { hmacServer } from './tokens.ts';

export interface TestGateway {
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string | undefined;
  readonly healthUrl: string | undefined;
  readonly decisionUrl: string | undefined;
  readonly grpcAddress: string | undefined;
  readonly receiverUrl: string | undefined;
  /** Log lines at trace, parsed. */
  readonly log: readonly Record<string, unknown>[];
  /** `milliseconds`: how long it waits for requests that it has. */
  stop(milliseconds?: number): Promise<void>;
}

const base = { version: 1, listen: '127.0.0.1:0' };

/** The file as text: the given values, with the version and a listener on any free port. */
export function gatewayYaml(body: object | string): string {
  if (typeof body === 'string') return textWithChosen(`version: 1\nlisten: 127.0.0.1:0\n${body}`);
  return stringify({ ...base, ...withChosen(body) });
}

/**
 * A gateway in this process, closed after the test. If a request made the gateway throw, the test fails at its end,
 * whatever the answer was.
 */
export async function gateway(t: Test, body: object | string, clock = systemClock): Promise<TestGateway> {
  const loaded = loadGatewayText(gatewayYaml(body), { file: 'gateway.yaml', env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, undefined, 2));
  const log: Record<string, unknown>[] = [];
  const write = (line: Buffer, _encoding: string, done: () => void) => {
    log.push(JSON.parse(String(line)));
    done();
  };
  const sink = new Writable({ write });
  const { config, directory, locate } = loaded;
  const running = await startGateway({
    config,
    directory,
    locate,
    clock,
    log: buildLog({ level: 'trace', format: 'json' }, sink),
  });
  t.teardown(async () => {
    await running.stop();
    // After its promise, a test accepts no more assertions. A teardown that throws makes it fail.
    const errors = thrown(log);
    if (errors.length > 0) throw new Error(`the gateway threw: ${JSON.stringify(errors.slice(0, 3))}`);
  });
  return { ...running, log };
}

/** pino's level 50 is error. With an `err`, it is a caught exception, which is a defect of the gateway. */
function thrown(log: readonly Record<string, unknown>[]): unknown[] {
  return log.filter(({ level, err }) => (level as number) >= 50 && err !== undefined);
}

/** Routes that most flows use: `/public` for everyone, `/admin` for the scope admin, `/orders` for orders.read. */
export const routes = [
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
  { id: 'admin', match: { path: '/admin/{rest*}' }, scope: 'admin' },
  { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
];

/** A gateway before one upstream. By default, it accepts tokens signed with a shared secret. */
export function behind(url: string, changes: object = {}): object {
  return {
    upstreams: { api: { url } },
    defaults: { upstream: 'api' },
    authorization_servers: hmacServer,
    routes,
    ...changes,
  };
}
