import { readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { browserOf, skipWithoutBrowser } from '../support/browser.ts';
import { type DigestClient, digestClients } from '../support/digest-clients.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { digestLines, userFile } from '../support/user-files.ts';

/** Sends requests with clients in several languages: 16 s beside a whole test run. */
t.setTimeout(120_000);

/** T50: the table of the cookbook is the result of this test. WRITE_DIGEST_TABLE=1 writes it. */

const page = new URL('../../docs/cookbook/basic-and-digest.md', import.meta.url);
const [USER, PASSWORD] = ['Mufasa', 'Circle of Life'];

const offers = [
  ['SHA-256 first, MD5 last', ['SHA-256', 'MD5']],
  ['SHA-256 only', ['SHA-256']],
  ['MD5 only', ['MD5']],
] as const;

async function urlOf(t: Test, algorithms: readonly string[]): Promise<string> {
  const digest = { realm: 'meters', users: userFile(t, digestLines(USER, 'meters', PASSWORD)), algorithms };
  const routes = [{ match: { path: '/meters/{id}' }, auth: 'digest', digest, access: 'authenticated' }];
  return `${(await gateway(t, behind(await echoUpstream(t), { routes }))).url}/meters/7`;
}

const openPage = browserOf(t);
const chromium = (t: Test): DigestClient => ({
  name: 'Chromium',
  skip: skipWithoutBrowser,
  async get(url, username, password) {
    const opened = await openPage(t, { httpCredentials: { username, password } });
    return (await opened.goto(url).catch(() => null))?.status() === 200;
  },
});

const TABLE = /(<!-- digest-table:[^>]*-->\n)([\s\S]*?)(<!-- \/digest-table -->)/;

/** Client → its row. */
function rowsOf(text: string): ReadonlyMap<string, string> {
  const lines = (TABLE.exec(text)?.[2] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return new Map(lines.slice(2).map((line) => [line.split('|')[1]?.trim() ?? '', line]));
}

t.test("the cookbook's table of client features is what the clients here can do", async (t) => {
  const text = readFileSync(page, 'utf8');
  const before = rowsOf(text);
  const urls = await Promise.all(offers.map(([, algorithms]) => urlOf(t, algorithms)));
  const clients = [...(await digestClients()), chromium(t)];
  const rows = new Map<string, string>();
  for (const client of clients) {
    if (client.skip !== false) t.comment(`${client.name} is not compared: ${client.skip}`);
    else rows.set(client.name, await rowOf(client, urls));
  }
  t.ok(rows.size > 0, 'one client at least is here');
  if (process.env.WRITE_DIGEST_TABLE === '1')
    writeTable(
      text,
      clients.map(({ name }) => rows.get(name) ?? before.get(name)),
    );
  const after = rowsOf(readFileSync(page, 'utf8'));
  for (const [name, row] of rows) t.equal(after.get(name), row, name);
  t.strictSame(
    [...after.keys()],
    clients.map(({ name }) => name),
    'and every client has its row',
  );
});

async function rowOf({ name, get }: DigestClient, urls: readonly string[]): Promise<string> {
  const cells: string[] = [];
  for (const url of urls) cells.push((await get(url, USER, PASSWORD)) ? 'yes' : 'no');
  return `| ${[name, ...cells].join(' | ')} |`;
}

function writeTable(text: string, rows: readonly (string | undefined)[]): void {
  const head = [`| client | ${offers.map(([name]) => name).join(' | ')} |`, `|${'---|'.repeat(offers.length + 1)}`];
  const table = [...head, ...rows.filter((row) => row !== undefined)].join('\n');
  writeFileSync(
    page,
    text.replace(TABLE, (_, begin: string, _old, end: string) => `${begin}${table}\n${end}`),
  );
}
