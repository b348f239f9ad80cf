import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { library, native, scope, site } from './site.ts';

/** How to start a client in another language, or why it is not available here. */
export type Peer =
  | { readonly command: string; readonly args: readonly string[]; readonly env?: Record<string, string> }
  | { readonly missing: string };

interface Visit {
  readonly visit: string;
  readonly decision?: 'allow' | 'deny';
}

type Line = Visit | { readonly told: string; readonly value: unknown };

interface Client {
  readonly id: string;
  readonly secret?: string;
  readonly callback: string;
}

interface Talk {
  readonly t: Test;
  /** What the peer finds in its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Plays the browser: the address of the client at which it arrives. */
  readonly browse: (visit: Visit) => Promise<URL>;
}

/** Everything that a peer told until it ended, by name. */
export async function converse({ command, args, env }: Startable, { t, variables, browse }: Talk) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  t.teardown(() => end(child));
  const closed = once(child, 'close');
  const stderr: string[] = [];
  child.stderr.on('data', (chunk) => stderr.push(String(chunk)));
  const told: Record<string, unknown> = {};
  for await (const text of createInterface(child.stdout)) {
    const line = JSON.parse(text) as Line;
    if ('told' in line) told[line.told] = line.value;
    else child.stdin.write(`${await browse(line)}\n`);
  }
  const [status] = await closed;
  t.equal(status, 0, stderr.join(''));
  return told;
}

export type Startable = Exclude<Peer, { missing: string }>;

/** How a peer learns which client it is. */
export function variablesOf(issuer: string, { id, secret, callback }: Client): Record<string, string> {
  return {
    ISSUER: issuer,
    CLIENT_ID: id,
    REDIRECT_URI: callback,
    ...(secret !== undefined && { CLIENT_SECRET: secret }),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const forEverybody = {
  denied: 'access_denied',
  'wrong verifier': 'invalid_grant',
  code: { token_type: 'Bearer', scope, fresh: true },
  'code twice': 'invalid_grant',
  rotated: true,
  revoked: 200,
  'refresh after revocation': 'invalid_grant',
};

const forSecretHolders = {
  introspected: { active: true, client_id: library.id, sub: 'alice', username: 'alice', scope },
  'introspected after revocation': { active: false },
  'client credentials': { token_type: 'Bearer', scope, fresh: true },
  'wrong secret': 'invalid_client',
};

/**
 * The same steps with every peer: a client with a secret, and one without. `more` is what this peer prints in addition.
 */
export function peerTests(t: Test, name: string, prepare: () => Peer, more: object = {}): void {
  let prepared: Peer | undefined;
  for (const { kind, client, expected } of [
    { kind: 'a client with a secret', client: library, expected: { ...forEverybody, ...forSecretHolders } },
    { kind: 'a public client', client: native, expected: forEverybody },
  ])
    t.test(`${name}, ${kind}: discovery, code with PKCE, refresh, revocation, every refusal`, async (t) => {
      prepared ??= prepare();
      const peer = prepared;
      if ('missing' in peer) return t.plan(0, peer.missing);
      const running = await site(t);
      const told = await converse(peer, {
        t,
        variables: { ...variablesOf(running.issuer, client), SCOPE: scope },
        browse: ({ visit, decision }) => running.walk(visit, decision),
      });
      t.match(told, { discovered: running.issuer, ...expected, ...more });
    });
}
