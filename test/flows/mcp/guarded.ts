import type { Test } from 'tap';
import { freePort } from '../../support/free-port.ts';
import { gateway } from '../../support/gateway.ts';

export const versions = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;

/** How the upstream learns the host: as the client sent it, or the host of the upstream. */
export type Host = 'upstream' | 'preserve';

export const hosts: readonly Host[] = ['upstream', 'preserve'];

const rules = (self: string) => ({
  mcp: { sessions: true, mirror: 'require', versions, origins: [self], filter_lists: true },
});

const configuration = (url: string, host: Host, self: string) => ({
  upstreams: { tools: { url: new URL(url).origin, host, timeout: { idle: 'none' } } },
  defaults: { upstream: 'tools' },
  routes: [{ id: 'tools', match: { path: '/mcp' }, access: 'public', ...rules(self) }],
});

/** The address of an MCP server behind a gateway. */
export async function guarded(t: Test, url: string, host: Host): Promise<string> {
  const port = await freePort();
  const self = `http://127.0.0.1:${port}`;
  await gateway(t, { listen: `127.0.0.1:${port}`, ...configuration(url, host, self) });
  return `${self}/mcp`;
}
