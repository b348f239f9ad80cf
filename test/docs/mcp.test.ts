import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { walkAsAlice } from '../flows/clients/site.ts';
import { until } from '../support/until.ts';
import { type Block, root } from './pages/blocks.ts';
import { enterAll } from './pages/enter.ts';
import { expectOutput, follow, skipWithout } from './pages/follow.ts';
import type { Followed, Handler } from './pages/place.ts';

/** Follows a page, command by command, with two logins: 34 s on a busy machine, 104 s on a very busy one. */
t.setTimeout(240_000);

const page = 'docs/cookbook/mcp.md';
const text = readFileSync(`${root}${page}`, 'utf8');

/** The heading above the block. */
function sectionOf({ place }: Block): string {
  const above = text.split('\n').slice(0, Number(place.split(':')[1]));
  return above.findLast((line) => line.startsWith('## ')) ?? '';
}

/** This program is what npx starts. A process between it and the shell would outlive the shell. */
const server = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

const replaced = {
  'npx -y @modelcontextprotocol/server-everything': `node ${server}`,
  'hash-password)': 'hash-password < password.txt)',
};

/** The line that the reader adds to `registration`. Every other text is the output of the block before it. */
const addsLine: Handler = (block, followed) => {
  if (!block.text.startsWith('  dynamic:')) return expectOutput(block, followed);
  const file = join(followed.directory, 'authorization.yaml');
  const before = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    before.replace(/^ {2}cimd:.*\n/m, (line) => line + block.text),
  );
};

const addresses = (output: string) => [...output.matchAll(/^\s*(http\S+response_type=code\S*)$/gm)];

/** Each `gatehouse login` prints where a user logs in, and waits. */
const entersWithBrowser: Handler = async (block, followed) => {
  const before = addresses(followed.shell.output()).length;
  const entered = enterAll(block, followed);
  if (block.text.includes('gatehouse.js login')) await logIn(followed, before);
  await entered;
  if (block.text.includes('call echo;')) await compareAnswers(followed);
};

async function logIn({ shell }: Followed, before: number): Promise<void> {
  const address = () => addresses(shell.output())[before]?.[1];
  await until(() => address() !== undefined);
  const url = new URL(address() ?? '');
  await fetch(await walkAsAlice({ url: url.origin }, url));
}

/** The table below the calls: the tool, and what the answer has. */
const rows = [...text.matchAll(/^\| `((?:echo|get-)[^`]*)` \| (.*) \|$/gm)].map(([, tool = '', answer = '']) => ({
  tool,
  status: /^\d{3}/.exec(answer)?.[0] ?? '200',
  parts: [...answer.matchAll(/`([^`]+)`/g)].map(([, part = '']) => part),
}));

/** Calls each tool again, and shows the head of the answer too. */
const callWithHead = (tool: string) => `(eval "$(declare -f mcp | sed 's/curl -s/curl -si/')"; call ${tool})`;

async function compareAnswers({ t, shell, printed }: Followed): Promise<void> {
  t.match(printed, 'Echo: hello');
  t.strictSame(
    rows.map(({ tool }) => tool),
    ['echo', 'get-sum', 'get-env'],
  );
  for (const { tool, status, parts } of rows) {
    const { output } = await shell.enter(callWithHead(tool));
    t.match(output, new RegExp(`^HTTP/1\\.1 ${status} `, 'm'), tool);
    for (const part of parts) t.match(output, part, tool);
  }
}

t.test(
  'the ten minutes of the page do what it says, from no client to a tool with another scope',
  { skip: skipWithout() },
  async (t) => {
    const { printed } = await follow(t, page, {
      replaced,
      env: { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' },
      prepare: (directory) => writeFileSync(join(directory, 'password.txt'), 'wonderland'),
      skips: (block) => sectionOf(block) !== '## Your own server in ten minutes',
      more: { sh: entersWithBrowser, text: addsLine },
    });
    t.match(printed, 'The sum of 1 and 2 is 3.', 'the last call reaches the tool');
  },
);
