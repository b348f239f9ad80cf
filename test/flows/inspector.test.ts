import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import t, { type Test } from 'tap';
import { ready, spawnService, writeConfig } from '../authorization/service-process.ts';
import { behind } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { startProcess } from '../support/process.ts';
import { connectTo } from '../support/raw-client.ts';
import { witness } from '../support/witness.ts';

/** Starts six programs: 20 s on a busy machine. */
t.setTimeout(120_000);

const skip = process.platform === 'linux' ? false : 'the sockets of a process are looked up in /proc';

/** Sockets on which a process listens, by their inodes. */
function listening(pid: number): readonly string[] {
  const tables = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/${pid}/net/${name}`, 'latin1'));
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(1));
  const open = rows.map((row) => row.trim().split(/\s+/)).filter(([, , , state]) => state === '0A');
  const inodes = new Set(open.map((row) => row[9]));
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  return links.filter((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '')).sort();
}

/** A descriptor may close between two checks. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** An ordinary Node.js program, which opens an inspector when it gets the signal, and prints that. */
async function ordinary(t: Test): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--inspect-port=0', '-e', 'setInterval(() => {}, 1000); console.log("up")'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

/** Signals all of them, and then one program that is known to open an inspector, for which it waits. */
async function opened(t: Test, pids: readonly number[]): Promise<readonly number[]> {
  const other = await ordinary(t);
  const before = pids.map(listening);
  for (const pid of pids) process.kill(pid, 'SIGUSR1');
  other.kill('SIGUSR1');
  const [said] = await once(other.stderr as NodeJS.ReadableStream, 'data');
  t.match(String(said), 'Debugger listening', 'the other one opens an inspector');
  return pids.filter((pid, index) => String(listening(pid)) !== String(before[index]));
}

t.test('SIGUSR1 opens an inspector in no gateway, supervisor, worker or authorization service', { skip }, async (t) => {
  const upstream = await witness(t);
  const alone = await startProcess({ config: behind(upstream.url) });
  t.teardown(() => alone.stop());
  const served = await group(t, behind(upstream.url), 2);
  const workers = served.pids();
  const service = spawnService(t, writeConfig(t.testdir()));
  const url = await ready(service);
  t.equal(workers.length, 2);
  t.strictSame(await opened(t, [alone.pid, served.process.pid ?? 0, ...workers, service.child.pid ?? 0]), []);
  t.equal((await fetch(`${served.url}/public/a`)).status, 200);
  t.strictSame(served.pids(), workers, 'the workers live on');
  t.equal((await fetch(`${url}/oauth2/jwks`)).status, 200);
  (await connectTo(alone.port)).destroy();
  t.ok(alone.running);
});
