import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { actionlint, skipWithout } from '../../tools/chart/programs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.github/workflows');
const files = readdirSync(folder);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly name: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
const workflows: readonly (readonly [string, Workflow])[] = files.map((file) => [file, parse(textOf(file))]);
const jobs = workflows.flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ at: `${file}: ${name}`, job })),
);
const steps = jobs.flatMap(({ at, job }) => (job.steps ?? []).map((step) => ({ at, step })));

/** The errors of actionlint for a workflow; empty if none. */
function said(text: string): string {
  // In the folder of the repository, because it also reads our own reusable workflows.
  const { stdout, stderr } = spawnSync(actionlint, ['-no-color', '-'], { input: text, cwd: root, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

t.test('actionlint finds nothing in any workflow', { skip: skipWithout(actionlint) }, async (t) => {
  t.ok(files.includes('test.yml') && files.includes('release.yml'));
  for (const file of files) t.equal(said(textOf(file)), '', file);
});

t.test('actionlint would report a mistake', { skip: skipWithout(actionlint) }, async (t) => {
  const wrong = textOf('release.yml')
    .replace('needs: [test, assets]', 'needs: [tests, assets]')
    .replace('steps.build.outputs', 'steps.built.outputs');
  t.match(said(wrong), /job "image" needs job "tests" which does not exist/);
  t.match(said(wrong), /property "built" is not defined/);
});

t.test('an external action is pinned to a commit, with the version beside it', async (t) => {
  for (const file of files)
    for (const [, uses = '', comment = ''] of textOf(file).matchAll(/^\s+(?:- )?uses: (\S+)(.*)$/gm)) {
      if (uses.startsWith('./')) continue;
      t.match(uses, /@[0-9a-f]{40}$/, `${file}: ${uses}`);
      t.match(comment, /^ # v\d+\.\d+\.\d+$/, `${file}: ${uses}`);
    }
});

t.test('an action has the same commit in all workflows', async (t) => {
  const commits = new Map<string, Set<string>>();
  for (const { step } of steps) {
    const [name = '', commit = ''] = step.uses?.split('@') ?? [];
    if (name !== '') commits.set(name, (commits.get(name) ?? new Set()).add(commit));
  }
  for (const [name, found] of commits) t.equal(found.size, 1, name);
});

t.test('no script contains an expression, so no name of a branch or a tag becomes code', async (t) => {
  for (const { at, step } of steps) t.notMatch(step.run ?? '', /\$\{\{/, at);
});

t.test('a job has only the rights that it needs: none by default, and write rights only as in the table', async (t) => {
  const mayWrite: Readonly<Record<string, readonly string[]>> = {
    'release.yml: image': ['packages', 'id-token', 'attestations'],
    'release.yml: chart': ['packages', 'id-token'],
    'release.yml: npm': ['id-token'],
    'release.yml: publish': ['contents', 'id-token', 'attestations'],
  };
  for (const [file, { permissions = { all: 'missing' } }] of workflows)
    t.strictSame(
      Object.entries(permissions).filter(([key, value]) => `${key}: ${value}` !== 'contents: read'),
      [],
      file,
    );
  for (const { at, job } of jobs) {
    const written = Object.entries(job.permissions ?? {}).filter(([, value]) => value !== 'read');
    t.strictSame(
      written.map(([key]) => key),
      mayWrite[at] ?? [],
      at,
    );
  }
});

t.test("no step keeps the checkout's token, and each job has a time limit", async (t) => {
  for (const { at, step } of steps)
    if (step.uses?.startsWith('actions/checkout@') === true) t.equal(step.with?.['persist-credentials'], false, at);
  for (const { at, job } of jobs) if (job.uses === undefined) t.type(job['timeout-minutes'], 'number', at);
  for (const [file, { concurrency }] of workflows) t.ok(concurrency, file);
});

t.test('publishing jobs wait for the tests and the image', async (t) => {
  const release = workflows.find(([file]) => file === 'release.yml')?.[1].jobs ?? {};
  const before = (name: string): readonly string[] => {
    const needs = [release[name]?.needs ?? []].flat();
    return [...needs, ...needs.flatMap(before)];
  };
  for (const name of ['image', 'chart', 'npm', 'publish']) t.ok(before(name).includes('test'), name);
  for (const name of ['chart', 'npm', 'publish']) t.ok(before(name).includes('image'), name);
});

t.test('every script and command that a step runs is in the repository', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { at, step } of steps) {
    for (const [, script = ''] of (step.run ?? '').matchAll(/npm run (?:--silent )?([\w:]+)/g))
      t.ok(scripts[script], at);
    for (const [file] of (step.run ?? '').matchAll(/(?:tools|\.ci)\/[\w./-]+/g))
      t.ok(existsSync(join(root, file)), file);
  }
});
