// `npm run release -- COMMAND`: the steps of a release, as .github/workflows/release.yml runs them. No step publishes
// anything.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { makeAssets } from './assets.ts';
import { mistakesOf, versionOf } from './check.ts';
import { namesFrom, outputs } from './names.ts';
import { notesOf } from './notes.ts';
import { prepare } from './prepare.ts';

const here = fileURLToPath(new URL('../../', import.meta.url));

/** The parsed command line is the whole interface: each step reads only the repository and the runner's variables. */
function release(): Command {
  const program = new Command('release')
    .description('The steps of a release. None publishes anything: the workflow does.')
    .option('--root <folder>', 'the repository', here)
    .exitOverride();
  const root = () => resolve(program.opts().root);
  program
    .command('check')
    .description('Every place names one version. With a tag: so does the tag, and the changelog has a dated section.')
    .option('--tag <tag>', 'the tag of the commit, such as v1.2.3')
    .action(({ tag }) => report(root(), tag));
  program
    .command('prepare <version>')
    .description('Writes the version into every place, and dates the changelog.')
    .action((version) => print(prepare(root(), version, new Date().toISOString().slice(0, 10)).join('\n')));
  program
    .command('names')
    .description('Where the release is published, as key=value lines. Reads GITHUB_REPOSITORY and REGISTRY.')
    .action(() => void process.stdout.write(outputs(namesFrom(process.env), versionOf(root()))));
  program
    .command('notes')
    .description('The notes of the release, from CHANGELOG.md.')
    .action(() => print(notesOf(changelogOf(root()), versionOf(root()), namesFrom(process.env))));
  program
    .command('assets <folder>')
    .description('Makes the npm package, the chart, the bill of materials, the check sums and the notes. Needs helm.')
    .action((folder) => makeAssets(root(), resolve(folder), namesFrom(process.env), print));
  return program;
}

function report(root: string, tag: string | undefined): void {
  const mistakes = mistakesOf(root, tag);
  for (const each of mistakes) console.error(each);
  if (mistakes.length > 0) process.exitCode = 1;
  else print(`${tag ?? versionOf(root)}: every place agrees`);
}

function changelogOf(root: string): string {
  return readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
}

function print(line: string): void {
  console.log(line);
}

try {
  release().parse();
} catch (error) {
  if (!(error instanceof CommanderError)) console.error((error as Error).message);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}
