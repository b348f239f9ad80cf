import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';

/** Starts programs: 10 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const present = (shell: string) => spawnSync(shell, ['--version']).status === 0;
const files = t.testdir({ 'gate way.yaml': '', 'orders.yaml': '', folder: {} });

/** The typed text, whose last word ends at the cursor → the offered words, whole. */
const lines: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['cl'], ['client']],
  [['client', 'a'], ['add']],
  [['client', 'add', '--in'], ['--introspect']],
  [['check', '--f'], ['--format']],
  [
    ['check', '--format', ''],
    ['github', 'json', 'text'],
  ],
  [['check', '--format', 'gi'], ['github']],
  [['check', 'or'], ['orders.yaml']],
  [['gateway', '--config', 'or'], ['orders.yaml']],
  [['gateway', '--config', 'ga'], ['gate way.yaml']],
  [['doctor', '--j'], ['--json']],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [['client', '--config', 'orders.yaml', 'ro'], ['rotate-secret']],
  [['client', 'add', '--name', ''], []],
  [['--ver'], ['--version']],
];

async function script(shell: string): Promise<string> {
  const { status, stdout } = await command(t, ['completion', shell]).ended();
  t.equal(status, 0);
  return stdout;
}

const title = (typed: readonly string[]) => `gatehouse ${typed.join(' ')}⇥`;

t.test('bash completes commands, options, choices and files', async (t) => {
  const text = await script('bash');
  const complete = (typed: readonly string[]) => {
    const asked = `${text}\nCOMP_WORDS=(gatehouse "$@"); COMP_CWORD=$#; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', asked, 'bash', ...typed], {
      cwd: files,
      encoding: 'utf8',
    });
    return { words: stdout.split('\n').filter(Boolean).sort(), stderr };
  };
  for (const [typed, words] of lines) t.strictSame(complete(typed), { words, stderr: '' }, title(typed));
  // as bash splits it
  t.strictSame(complete(['check', '--format', '=', 'g']).words, ['github'], 'check --format=g');
  t.strictSame(complete(['check', '--format', '=']).words, ['github', 'json', 'text'], 'check --format=');
});

t.test('an interactive bash has the function once the script is sourced', async (t) => {
  const asked = `${await script('bash')}\ncomplete -p gatehouse`;
  const { stdout } = spawnSync('bash', ['--norc', '-c', asked], { encoding: 'utf8' });
  t.equal(stdout, 'complete -F _gatehouse gatehouse\n');
});

t.test('fish completes the same', { skip: present('fish') ? false : 'fish is not installed' }, async (t) => {
  const text = await script('fish');
  for (const [typed, words] of lines) {
    const line = `gatehouse ${typed.map((word) => word.replaceAll(' ', '\\ ')).join(' ')}`;
    const asked = `${text}\ncomplete -C ${JSON.stringify(line)}`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', asked], { cwd: files, encoding: 'utf8' });
    const offered = stdout.split('\n').filter(Boolean);
    const plain = offered.map((each) => (each.split('\t')[0] ?? '').replaceAll('\\ ', ' ')).sort();
    t.strictSame({ words: plain, stderr }, { words, stderr: '' }, title(typed));
  }
});

/**
 * An interactive zsh in a separate terminal. It presses tab, then runs the line with a function that prints its
 * arguments.
 */
const inTerminal = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -U compinit; compinit -D -u; gatehouse() { print -rl -- "<\${^@}>" "END" }; source "$SCRIPT"; setopt no_list_beep; print RE""ADY'
zpty -r shell out '*READY*'
zpty -w -n shell "$LINE"$'\\t\\n'
zpty -r shell out '*END*'
print -r -- "$out"
`;

t.test('zsh completes in a terminal', { skip: present('zsh') ? false : 'zsh is not installed' }, async (t) => {
  const directory = t.testdir({ _gatehouse: await script('zsh') });
  for (const [typed, words] of lines.filter(([, { length }]) => length === 1)) {
    const env = { ...process.env, SCRIPT: join(directory, '_gatehouse'), LINE: `gatehouse ${typed.join(' ')}` };
    const { stdout } = spawnSync('zsh', ['-f', '-c', inTerminal], {
      cwd: files,
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    t.match(stdout, `<${words[0]}>`, title(typed));
  }
});

t.test('the help says how to install it, and an unknown shell is a usage error', async (t) => {
  const help = await command(t, ['completion', '--help']).ended();
  t.match(help, {
    status: 0,
    stdout: /bash .*completions\/gatehouse\n[\s\S]*zsh .*_gatehouse[\s\S]*fish .*gatehouse\.fish/,
  });
  t.match(await command(t, ['completion', 'tcsh']).ended(), { status: 2, stderr: 'bash, zsh, fish' });
});
