import t, { type Test } from 'tap';
import { stringify } from 'yaml';
import { browserOf, skipWithoutBrowser as skip } from '../support/browser.ts';
import { behind, gatewayYaml } from '../support/gateway.ts';
import { heapSnapshots } from '../support/heap-snapshot.ts';
import { openInspector } from '../support/inspector.ts';
import { type ServedFile, servedFile, writeIn } from '../support/served-file.ts';
import { jwt } from '../support/tokens.ts';

/** Writes a snapshot of a heap, and drives a browser: 20 s on a busy machine. */
t.setTimeout(120_000);

const openPage = browserOf(t);
/** A file that the gateway judges in its own thread. */
const pasted = gatewayYaml(behind('http://127.0.0.1:9'));
const canaries = { opaque: 'canary-opaque-5b1f7a2c', claim: 'canary-claim-91d0e6b4', file: 'canary-file-3c77e1' };

interface Served extends ServedFile {
  /** The same for the thread that judges pasted files. Undefined: there is no such thread. */
  threadHeap(): Promise<string | undefined>;
  /** Everything that is reachable in the process: a snapshot begins with a full collection. */
  heap(): Promise<string>;
  /** Everything that it printed, at the level trace. */
  log(): string;
}

async function serve(t: Test): Promise<Served> {
  const snapshots = heapSnapshots(t);
  const write = (directory: string, listeners: string) =>
    writeIn(
      directory,
      'gateway.yaml',
      listeners.replace('format: json', 'format: json, level: trace') +
        stringify({ realm: canaries.file, ...behind('http://127.0.0.1:9') }),
    );
  const served = await servedFile(t, write, [...snapshots.flags, '--inspect=127.0.0.1:0']);
  return {
    ...served,
    log: () => served.stdout() + served.stderr(),
    threadHeap: () => heapOfThread(/ws:\/\/\S+/.exec(served.stderr())?.[0] ?? ''),
    heap: () => snapshots.of(served.process.pid as number),
  };
}

/** The heap of the first thread of a process, by its inspector. */
async function heapOfThread(address: string): Promise<string | undefined> {
  const inspector = await openInspector(address);
  try {
    await inspector.call('NodeWorker.enable', { waitForDebuggerOnStart: false });
    const [thread] = inspector.threads;
    if (thread === undefined) return undefined;
    const chunks: string[] = [];
    inspector.hear(thread, ({ method, params }) => {
      if (method === 'HeapProfiler.addHeapSnapshotChunk') chunks.push(String(params?.chunk));
    });
    await inspector.callIn(thread, 'HeapProfiler.collectGarbage');
    await inspector.callIn(thread, 'HeapProfiler.takeHeapSnapshot');
    return chunks.join('');
  } finally {
    inspector.close();
  }
}

async function tokens(): Promise<readonly string[]> {
  return [canaries.opaque, await jwt({ scope: 'orders.read', sub: canaries.claim }, { alg: 'HS256' })];
}

function secretsOf([opaque = '', signed = '']: readonly string[]): readonly string[] {
  return [opaque, canaries.claim, signed.slice(0, 60), signed.slice(-40)];
}

t.test('a token that was asked about is in no log and not in the heap', async (t) => {
  const served = await serve(t);
  const post = async (path: string, body: object | string) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' } };
    await (await fetch(`${served.adminUrl}/api/${path}`, { ...init, body: JSON.stringify(body) })).text();
  };
  const asked = await tokens();
  for (const token of asked) {
    await post('token', { token });
    await post('explain', { method: 'GET', url: '/orders/1', token });
    await post('explain', { method: 'GET', url: '/orders/1', headers: [['Authorization', `Bearer ${token}`]] });
    await post('explain', { method: 'GET', url: `/orders/1?access_token=${token}` });
    await post('explain', { method: 'GET', tokn: token });
    await post('explain', `{"token":"${token}"`);
    await post('explain', { method: 'GET', url: '/orders/1', token, yaml: pasted });
    await post('explain', { method: 'GET', url: `/orders/1?access_token=${token}`, yaml: pasted });
    await post('check', { yaml: `${pasted}# ${token}\n` });
  }
  await forgets(t, served, asked);
});

/** The whole process has nothing of these tokens, while the thread of pasted files is alive. */
async function forgets(t: Test, served: Served, asked: readonly string[]): Promise<void> {
  const thread = await served.threadHeap();
  t.match(thread, 'answerPasted', 'the thread is alive, and its heap has what it keeps');
  const heap = await served.heap();
  t.ok(heap.includes(canaries.file), 'the heap has what the gateway keeps');
  for (const secret of secretsOf(asked)) {
    t.notOk(thread?.includes(secret), `${secret} is not in the heap of the thread`);
    t.notOk(heap.includes(secret), `${secret} is not in the heap`);
    t.notOk(served.log().includes(secret), `${secret} is not in the log`);
  }
}

t.test(
  'a token that was typed in is in no address, no storage and no field of the browser afterwards, and in no log and heap',
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    const asked = await tokens();
    for (const token of asked) {
      await page.goto(`${served.adminUrl}/console/token`);
      await page.getByLabel('Access token').fill(token);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('Routes that read tokens').waitFor();
      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByLabel('this token, verified').check();
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByLabel('Path or URL').fill('/orders/1');
      await page.getByLabel('Headers, one a line').fill(`Authorization: Bearer ${token}\nX-Api-Key: ${token}`);
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.locator('.explanation').waitFor();
      addresses.push(page.url());
      await page.getByLabel('Use another file').check();
      await page.getByLabel('Configuration file').fill(`${pasted}# ${token}\n`);
      const checked = page.waitForResponse(/\/api\/check/);
      const explained = page.waitForResponse(/\/api\/explain/);
      await page.getByRole('button', { name: 'Explain' }).click();
      for (const response of [await checked, await explained]) t.equal(response.status(), 200);
      await page.getByRole('link', { name: 'Live' }).click();
      await page.getByText('Decisions of').waitFor();
    }
    const kept = await page.evaluate(`(async () => JSON.stringify([
    { ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases(), await caches.keys(), document.documentElement.outerHTML,
    [...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  ]))()`);
    for (const secret of secretsOf(asked)) {
      t.notMatch(addresses.join('\n'), secret);
      t.notMatch(kept, secret);
    }
    t.match(addresses.join('\n'), '/console/playground#', 'the addresses have the rest of the question');
    await forgets(t, served, asked);
  },
);
