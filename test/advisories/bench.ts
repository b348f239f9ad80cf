import type { Test } from 'tap';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { type RequestText, requestText } from '../support/request-text.ts';
import { type Witness, witness } from '../support/witness.ts';

export interface Bench extends TestGateway {
  readonly upstream: Witness;
  send(request: RequestText): Promise<RawResponse>;
}

/** A gateway before one upstream that records everything. */
export async function bench(t: Test, changes: object = {}): Promise<Bench> {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, changes));
  const send = (request: RequestText) => ask(running.port, requestText(request), { method: request.method ?? 'GET' });
  return { ...running, upstream, send };
}

/** Everything except /admin is public, so a spelling that is not recognized as /admin passes. */
export const allButAdmin = [
  { id: 'all', match: { path: '/{rest*}' }, access: 'public' },
  { id: 'admin', match: { path: '/admin/{rest*}' }, scope: 'admin' },
];

/** Without a token, each is refused, and none reaches the upstream. */
export async function assertRefused(
  t: Test,
  { send, upstream }: Bench,
  targets: readonly string[],
  statuses: readonly number[] = [400],
): Promise<void> {
  for (const target of targets) {
    const { status } = await send({ target });
    t.ok(statuses.includes(status), `${target}: ${status}`);
  }
  t.same(
    upstream.seen.map(({ target }) => target),
    [],
    'none reached the upstream',
  );
}
