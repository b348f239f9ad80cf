import type { AdminConfig } from '../schema/admin.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding } from '../words/problem.ts';
import type { Address } from '../words/schema.ts';

/** `access`: absent if the program has no such setting. */
type Operators = Address & Partial<Pick<AdminConfig, 'access'>>;

type Listeners = {
  readonly listen: Address;
  readonly admin?: Operators | undefined;
  readonly health?: Address | undefined;
  readonly decision?: Address | undefined;
  readonly grpc?: Address | undefined;
  readonly receiver?: Address | undefined;
};

/** Rules for the listeners of clients, operators, probes and proxies. Each must have its own address. */
export function listenerFaults({ listen, admin, health, decision, grpc, receiver }: Listeners): readonly Finding[] {
  const all = { listen, admin, health, decision, 'decision.grpc': grpc, 'receiver.listen': receiver };
  const open = Object.entries(all).flatMap(([key, address]) => (address ? [{ key, address }] : []));
  const clashes = open.flatMap(({ key, address }, index): Finding[] => {
    const earlier = open.slice(0, index).find((other) => overlap(address, other.address));
    return earlier === undefined
      ? []
      : [
          {
            pointer: key.split('.'),
            message: `the same address as \`${earlier.key}\``,
            hint: 'give each listener its own port',
          },
        ];
  });
  return [...clashes, ...exposure(admin)];
}

function exposure(admin: Operators | undefined): readonly Finding[] {
  if (admin === undefined || isLoopback(admin.host)) return [];
  if (admin.access !== undefined && admin.access !== 'loopback') return [];
  const message = 'other machines can reach the admin listener';
  return [
    {
      pointer: ['admin'],
      severity: 'warning',
      message,
      hint: 'write 127.0.0.1, or make sure that only operators can reach it',
    },
  ];
}

/** Port 0 means any free port, so it never clashes. */
function overlap(one: Address, other: Address): boolean {
  if (one.port !== other.port || one.port === 0) return false;
  return one.host === other.host || isEvery(one.host) || isEvery(other.host);
}

function isEvery(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
