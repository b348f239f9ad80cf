// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { helm, skipWithoutHelm } from '../../tools/chart/programs.ts';

/** Starts helm and the program for each example: 20 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/cookbook/kubernetes.md'), 'utf8');
const recipe = [...page.matchAll(/^```sh\n(.*?)^```$/gms)]
  .map(([, text = '']) => text)
  .find((text) => /gatehouse\.js check/.test(text));
const examples = [...page.matchAll(/^```yml\n# values\.yaml\n(.*?)^```$/gms)]
  .map(([, text = '']) => text)
  .filter((text) => parse(text).gateway?.config !== undefined);

const hasYq = spawnSync('yq', ['--version']).status === 0;
const skip = skipWithoutHelm || (hasYq ? false : 'yq is not installed');

/** A checkout with only the chart and the program, and helm in the path. */
function place(directory: string, values: string): NodeJS.ProcessEnv {
  mkdirSync(join(directory, 'bin'));
  symlinkSync(join(root, 'helm'), join(directory, 'helm'));
  const gatehouse = join(directory, 'bin/gatehouse.js');
  writeFileSync(gatehouse, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/gatehouse.js')}' "$@"\n`);
  chmodSync(gatehouse, 0o755);
  writeFileSync(join(directory, 'values.yaml'), values);
  const { PATH = '', HOME } = process.env;
  return { PATH: `${dirname(helm)}:${PATH}`, ...(HOME && { HOME }) };
}

t.test('the page shows how to check the file before an installation', async (t) => {
  t.match(recipe, /helm template .*\| yq .*gatehouse\.js check --no-secrets --strict/s);
  t.equal(examples.length, 3);
  t.ok(examples.some((text) => text.includes('${file:/run/secrets/') && text.includes('${GATEWAY_SECRET}')));
});

for (const [index, values] of examples.entries())
  t.test(`example ${index + 1} of the page gives the documented result, without a secret`, { skip }, async (t) => {
    const directory = t.testdir();
    const env = place(directory, values);
    const script = `set -eo pipefail\n${recipe}`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: directory, env, encoding: 'utf8' });
    t.equal(status, 0, `${stdout}${stderr}`);
    t.equal(stdout, 'gateway.yaml: valid\n');
    if (!values.includes('${')) return;
    for (const [variable] of values.matchAll(/\$\{[^}]+\}/g)) t.match(stderr, variable);
  });
