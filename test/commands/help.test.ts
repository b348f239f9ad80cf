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
