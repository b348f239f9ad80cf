import { Writable } from 'node:stream';
import type { Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { buildLog } from '../../src/base/log.ts';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { startGateway } from '../../src/gateway/lifecycle/start.ts';
import { gatewayYaml } from '../support/gateway.ts';
import { jwt } from '../support/tokens.ts';
import { type Answer, type Ask, type Asker, type Caller, callers, type Field, headText, scopes } from './asker.ts';
import { type Reply, sendAll } from './pipeline.ts';
import { CASE, recorder } from './recorder.ts';
import { configOf, type RuleFile } from './rule-files.ts';
import type { Telling } from './told.ts';

/** Long enough for the longest run. */
const LIFETIME = 12 * 3600;

/** The decision endpoint with this file, asked by a proxy that forwards accepted requests unchanged. */
export async function decisionAsker(t: Test, file: RuleFile, telling: Telling): Promise<Asker> {
  const decision = { listen: '127.0.0.1:0', max_age: '0s' };
  const config = { ...configOf(file, 'http://127.0.0.1:9'), trusted_proxies: ['127.0.0.1'], decision };
  const { decisionUrl } = await start(t, config);
  const port = Number(new URL(decisionUrl ?? '').port);
  const credentials = await credentialsOf();
  return async (asks) => {
    const texts = asks.map(
      (ask) =>
        `${headText(telling.target(ask), [...telling.fields(ask), ...ask.fields, ...credentials[ask.caller]])}\r\n\r\n`,
    );
    const replies = await sendAll(port, texts);
    return asks.map(({ target, host, fields }, index) => {
      const passed = replies[index]?.status === 200 || replies[index]?.status === 204;
      return answerOf(replies[index], passed ? headText(target, [['Host', host], ...fields]) : undefined);
    });
  };
}

/** The gateway with this file, over real connections, before an upstream that reports what it got. */
export async function gatewayAsker(t: Test, file: RuleFile): Promise<Asker> {
  const upstream = await recorder(t);
  const { port } = await start(t, configOf(file, upstream.url));
  const credentials = await credentialsOf();
  let count = 0;
  return async (asks) => {
    const from = count;
    count += asks.length;
    const texts = asks.map((ask, index) => requestOf(ask, credentials[ask.caller], String(from + index)));
    const replies = await sendAll(port, texts);
    return replies.map((reply, index) => answerOf(reply, upstream.take(String(from + index))));
  };
}

function answerOf(reply: Reply | undefined, head: string | undefined): Answer {
  if (head !== undefined) return { kind: 'forwarded', head };
  const [, code] = /"code":"([a-z_]+)"/.exec(reply?.body ?? '') ?? [];
  return { kind: 'refused', why: `${reply?.status ?? 'closed'} ${code ?? ''}`.trimEnd() };
}

function requestOf({ host, target, fields }: Ask, credential: readonly Field[], name: string): string {
  return `${headText(target, [['Host', host], ...fields, ...credential, [CASE, name]])}\r\n\r\n`;
}

async function credentialsOf(): Promise<Readonly<Record<Caller, readonly Field[]>>> {
  const exp = Math.floor(Date.now() / 1000) + LIFETIME;
  const pairs = callers.map(async (caller) => {
    const scope = scopes[caller];
    if (scope === undefined) return [caller, []] as const;
    return [caller, [['Authorization', `Bearer ${await jwt({ scope, exp }, { alg: 'HS256' })}`]]] as const;
  });
  return Object.fromEntries(await Promise.all(pairs)) as Record<Caller, readonly Field[]>;
}

/** Not with `gateway()`, which keeps every log line: too much for a million requests. */
async function start(t: Test, body: object) {
  const { config, directory, locate } = loaded(body);
  const errors: string[] = [];
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      errors.push(String(line));
      done();
    },
  });
  const log = buildLog({ level: 'error', format: 'json' }, sink);
  const running = await startGateway({ config, directory, locate, clock: systemClock, log });
  t.teardown(async () => {
    await running.stop();
    if (errors.length > 0) throw new Error(`the gateway logged errors: ${errors.slice(0, 3).join('')}`);
  });
  return running;
}

export function loaded(body: object) {
  const result = loadGatewayText(gatewayYaml(body), { file: 'gateway.yaml', env: {} });
  if (!result.ok) throw new Error(JSON.stringify(result.problems, undefined, 2));
  return result;
}
