import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { loadAuthorizationText, loadGatewayText, type Problem } from '../../src/config/load/load.ts';

const directory = new URL('../fixtures/mistakes/', import.meta.url);
const env = { GATEWAY_SECRET: 'gateway-secret-of-tests', SHOP_SECRET: 'shop-secret-of-the-tests' };

/** A file itself says what is wrong with it: `# expect LINE:COLUMN message → hint`, a line for each problem. */
function expectations(text: string): readonly string[] {
  return [...text.matchAll(/^# expect (.*)$/gm)].map(([, expected]) => expected as string);
}

function inWords({ line, column, message, hint }: Problem): string {
  return `${line}:${column} ${message}${hint === undefined ? '' : ` → ${hint}`}`;
}

for (const file of readdirSync(directory)) {
  t.test(`${file} gets messages that say where it is wrong, and what is right`, async (t) => {
    const text = readFileSync(new URL(file, directory), 'utf8');
    const load = file.startsWith('gateway') ? loadGatewayText : loadAuthorizationText;
    const loaded = load(text, { file, env });
    t.strictSame(loaded.ok ? [] : loaded.problems.map(inWords), expectations(text));
    t.notMatch(JSON.stringify(loaded), /hunter2|too-short-and-readable|-secret-of-/);
  });
}

t.test('there are enough mistakes', async (t) => {
  t.ok(readdirSync(directory).length >= 30);
});
