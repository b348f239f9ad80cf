import type { Command } from 'commander';
import t from 'tap';
import { buildProgram } from '../../src/cli.ts';
import { leaves } from '../../src/commands/common/command-style.ts';
import { helpRows } from '../../src/commands/common/help-rows.ts';

/** The words of a line as a shell splits it, without redirections. */
function wordsOf(line: string): readonly string[] {
  const plain = line.replace(/ [<>] \S+$/, '');
  return [...plain.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? '');
}

function helpOf(command: Command): string {
  const text: string[] = [];
  command.configureOutput({ writeOut: (piece) => void text.push(piece) });
  command.outputHelp();
  return text.join('');
}

t.test('every command has a row of help, and every row belongs to a command', async (t) => {
  const names = leaves(await buildProgram()).map(([name]) => name);
  t.strictSame([...names].sort(), Object.keys(helpRows).sort());
});

t.test(
  'the help of every command has an example, its exit statuses, and the environment if it reads a file',
  async (t) => {
    for (const [name, command] of leaves(await buildProgram())) {
      const text = helpOf(command);
      t.match(text, /^Examples?:\n {2}gatehouse /m, name);
      t.match(text, /^Exit status: 0 /m, name);
      const config = command.options.find(({ long }) => long === '--config');
      if (config?.defaultValue !== undefined) t.match(text, 'GATEHOUSE__LISTEN', name);
    }
  },
);

for (const [name, { examples }] of Object.entries(helpRows)) {
  t.test(`the command accepts each example of \`gatehouse ${name}\``, async (t) => {
    for (const example of examples) {
      const program = await buildProgram();
      const ran: string[] = [];
      for (const [path, command] of leaves(program)) command.action(() => void ran.push(path));
      const [gatehouse, ...args] = wordsOf(example);
      t.equal(gatehouse, 'gatehouse');
      if (example.includes('--token -')) args.splice(args.indexOf('--token'), 2);
      await program.parseAsync(args, { from: 'user' });
      t.strictSame(ran, [name], example);
    }
  });
}

t.test('required options are marked as required', async (t) => {
  for (const [name, command] of leaves(await buildProgram()))
    for (const { mandatory, long } of command.options)
      if (mandatory) t.match(helpOf(command), new RegExp(`${long} [^\\n]*(\\n {10,}[^\\n]*)*\\(required\\)`), name);
});

/** The help of these commands has the words, but an argument or an option of theirs names standard input. */
const NAMED_INPUT = ['explain', 'why', 'shadow report', 'import openapi', 'import htdigest', 'import htpasswd', 'top'];

t.test('a command that reads a secret says so if the secret is in its arguments, and does not repeat it', async (t) => {
  for (const [name, { secret }] of Object.entries(helpRows)) {
    const program = await buildProgram();
    const leaf = leaves(program).find(([path]) => path === name)?.[1] as Command;
    // `init` asks for the secret only at a terminal.
    const reads = /standard\s+input/.test(helpOf(leaf)) && !NAMED_INPUT.includes(name);
    t.equal(secret !== undefined, reads || name === 'init', name);
    if (secret === undefined) continue;
    const told: string[] = [];
    leaf.configureOutput({ writeErr: (text) => void told.push(text) });
    const given = name === 'decisions' ? ['--password', 'hunter2'] : ['a', 'hunter2', '--realm=x', '--client-id=x'];
    const known = given.filter((word) => !word.startsWith('--') || word === '--password' || isOption(leaf, word));
    await t.rejects(program.parseAsync([...name.split(' '), ...known], { from: 'user' }), name);
    t.match(told.join(''), `The command reads the ${secret} from standard input, because other users`, name);
    t.notMatch(told.join(''), /hunter2|Did you mean/, name);
  }
});

function isOption({ options }: Command, word: string): boolean {
  return options.some(({ long }) => word.startsWith(`${long}=`));
}
