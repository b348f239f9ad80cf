import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

/** Starts programs: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const launcher = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const missing = ['bash', 'curl', 'jq', 'openssl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
const skip = missing.length === 0 ? false : `not installed: ${missing.join(', ')}`;

/** The blocks of one language in the part about the two files. */
function blocks(language: string): readonly string[] {
  const part = readme.slice(readme.indexOf('## One screen of YAML'), readme.indexOf('## Commands'));
  return [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text = '']) => (of === language ? [text] : []));
}

/** The ports of the README are taken on many a machine. */
async function onOtherPorts(): Promise<(text: string) => string> {
  const ports: Record<string, number> = {};
  for (const port of ['8080', '8081', '9000', '9900', '9903']) ports[port] = await freePort();
  return (text) => text.replace(/(?<=[:(])(8080|8081|9000|9900|9903)\b/g, (port) => String(ports[port]));
}

interface Shell {
  /** Resolves once the line has been carried out; who waits for what it leaves running is the README. */
  enter(line: string): Promise<void>;
  output(): string;
}

function shell(t: Test, cwd: string): Shell {
  const bash: ChildProcessWithoutNullStreams = spawn('bash', [], { cwd });
  const printed: string[] = [];
  for (const stream of [bash.stdout, bash.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)));
  const output = () => printed.join('');
  t.teardown(async () => {
    const closed = once(bash, 'close');
    bash.stdin.end('kill $(jobs -p); wait\n');
    await closed;
  });
  const appears = async (text: string) => {
    if (!(await until(() => output().includes(text)))) throw new Error(`no ${text} in: ${output()}`);
  };
  let lines = 0;
  return {
    output,
    async enter(line) {
      const mark = `line ${++lines} is done`;
      bash.stdin.write(`${line}\necho ${mark}\n`);
      await appears(mark);
    },
  };
}

t.test('the files and commands of the README do what it says, in its order', { skip }, async (t) => {
  const move = await onOtherPorts();
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const [gateway = '', authorization = ''] = blocks('yaml').map(move);
  writeFileSync(join(directory, 'gateway.yaml'), gateway);
  writeFileSync(join(directory, 'authorization.yaml'), authorization);
  const { enter, output } = shell(t, directory);
  const commands = blocks('sh').join('').trim().split('\n');
  for (const line of commands)
    await enter(
      move(line)
        .replace(/^node /, `'${process.execPath}' `)
        .replaceAll('./bin/gatehouse.js', `'${process.execPath}' ${launcher}`),
    );
  t.equal(commands.length, 13);
  t.match(output(), 'gateway.yaml: valid');
  t.match(output(), 'authorization.yaml: valid');
  t.notMatch(output(), /warning:/, 'the files fit each other');
  t.match(output(), /HTTP\/1\.1 200 OK[\s\S]*\norders for shop\n/);
  t.match(output(), /route +passed +POST,DELETE \/orders\/\{rest\*\} {2}gateway\.yaml:\d+/, 'explain');
  t.match(output(), /Answer\n {2}what the upstream answers/);
  t.match(output(), /401 credential_missing {3}GET localhost:\d+\/orders\n/, 'why');
});
