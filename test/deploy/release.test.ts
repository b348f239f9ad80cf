import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { helm, skipWithout } from '../../tools/chart/programs.ts';
import { dated, sectionsOf } from '../../tools/release/changelog.ts';
import { mistakesOf } from '../../tools/release/check.ts';
import { namesFrom, outputs, tagsOf } from '../../tools/release/names.ts';
import { notesOf } from '../../tools/release/notes.ts';
import { placesIn } from '../../tools/release/places.ts';
import { prepare } from '../../tools/release/prepare.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { checkout, copyOfCheckout, plainly } from './packed.ts';

/** Compiles and packs the package: 40 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

const env = { GITHUB_REPOSITORY: 'Example-Org/Gatehouse.Fork' };
const names = namesFrom(env);
const changelog = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8');
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

/** `npm run release -- …` for a copy of the checkout, with the variables of a runner. */
function release(args: readonly string[], root = checkout): Ran {
  const main = join(checkout, 'tools/release/main.ts');
  const command = [...plainly, process.execPath, main, '--root', root, ...args];
  const { status, stdout, stderr } = spawnSync('/usr/bin/env', command, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, output: `${stdout}${stderr}` };
}

/** A folder with only the files that name a version. */
function copyOfPlaces(t: Test): string {
  const root = temporaryFolder(t);
  for (const file of new Set([...placesIn(checkout).map((place) => place.file), 'CHANGELOG.md']))
    cpSync(join(checkout, file), join(root, file));
  return root;
}

t.test('every place of this checkout has the same version', async (t) => {
  t.strictSame(mistakesOf(checkout), []);
  t.ok(placesIn(checkout).length >= 10);
});

t.test('every version of ours in a page, script or chart is in the table of places', async (t) => {
  const known = new Set(placesIn(checkout).map(({ file, line }) => `${file}:${line}`));
  const listed = spawnSync(
    'git',
    ['ls-files', 'docs', 'helm', 'kustomize', 'README.md', 'compose.yaml', 'SECURITY.md'],
    {
      cwd: checkout,
      encoding: 'utf8',
    },
  );
  const files = listed.stdout.split('\n').filter((name) => name !== '' && !name.startsWith('docs/decisions/'));
  t.ok(files.length > 50);
  const ours = new RegExp(`(gatehouse|version|tag)\\S*[:= -]+v?${RegExp.escape(version)}`, 'i');
  for (const file of files)
    for (const [index, line] of readFileSync(join(checkout, file), 'utf8').split('\n').entries())
      if (ours.test(line)) t.ok(known.has(`${file}:${index + 1}`), `${file}:${index + 1}: ${line}`);
});

t.test('`prepare` writes a version into every place, and `check` then accepts its tag', async (t) => {
  const root = copyOfPlaces(t);
  const prepared = release(['prepare', '7.8.9'], root);
  t.equal(prepared.status, 0, prepared.output);
  t.strictSame([...new Set(placesIn(root).map(({ found }) => found))], ['7.8.9']);
  t.equal(release(['check', '--tag', 'v7.8.9'], root).output, 'v7.8.9: every place agrees\n');
  t.equal(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[''].version, '7.8.9');
  const { version: chart, appVersion } = parse(readFileSync(join(root, 'helm/gatehouse/Chart.yaml'), 'utf8'));
  t.strictSame([chart, appVersion], ['7.8.9', '7.8.9']);
  t.match(release(['prepare', '8.0.0'], root), { status: 1, output: /has no section "## \[VERSION\] - unreleased"/ });
  t.equal(release(['check', '--tag', 'v7.8.9'], root).status, 0, 'what fails writes nothing');
});

t.test('each mistake is reported with file, line and remedy, and ends the release', async (t) => {
  const root = copyOfPlaces(t);
  prepare(root, '7.8.9', '2026-01-02');
  const change = (file: string, from: string | RegExp, to: string) => {
    const path = join(root, file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replace(from, to);
    t.not(changed, text, `${file} has ${from}`);
    writeFileSync(path, changed);
    return () => writeFileSync(path, text);
  };
  const wrong: readonly (readonly [string, string | RegExp, string, RegExp])[] = [
    [
      'helm/gatehouse/Chart.yaml',
      'appVersion: 7.8.9',
      'appVersion: 7.8.8',
      /^helm\/gatehouse\/Chart\.yaml:6: version 7\.8\.8/,
    ],
    ['Dockerfile', 'VERSION=7.8.9', 'VERSION=0.0.1', /^Dockerfile:\d+: version 0\.0\.1, but package\.json has 7\.8\.9/],
    ['CHANGELOG.md', /(## \[7\.8\.9\]) - .*/, '$1 - unreleased', /^CHANGELOG\.md:7: 7\.8\.9 is still unreleased/],
    ['CHANGELOG.md', '## [7.8.9]', '## [7.8.8]', /^CHANGELOG\.md:7: the newest section is 7\.8\.8/],
    ['package.json', '"7.8.9"', '"7.9.0"', /package\.json has 7\.9\.0: run `npm run release -- prepare 7\.9\.0`/],
  ];
  for (const [file, from, to, message] of wrong) {
    const restore = change(file, from, to);
    t.match(mistakesOf(root, 'v7.8.9').join('\n'), message, file);
    restore();
  }
  for (const tag of ['7.8.9', 'v7.8', 'v7.8.9; echo', 'v1.0.0']) t.match(mistakesOf(root, tag)[0], /^tag /, tag);
  t.match(release(['check', '--tag', 'v1.0.0'], root), {
    status: 1,
    output: /^tag v1\.0\.0: package\.json has 7\.8\.9/,
  });
});

t.test('a section of the changelog is extracted whole, and dated once', async (t) => {
  const text = '# Changelog\n\n## [0.2.0] - unreleased\n\n### Added\n\n- b\n\n## [0.1.0] - 2026-01-02\n\n- a\n';
  t.match(sectionsOf(text), [
    { version: '0.2.0', date: 'unreleased', line: 3, body: '### Added\n\n- b' },
    { version: '0.1.0', date: '2026-01-02', line: 9, body: '- a' },
  ]);
  const after = dated(text, '0.2.0', '2026-03-04');
  t.equal(after, text.replace('unreleased', '2026-03-04'));
  t.throws(() => dated(after, '0.3.0', '2026-03-05'), /no section/);
});

t.test('names follow from the repository, in the case that a registry requires', async (t) => {
  t.equal(names.image, 'example-org/gatehouse.fork');
  t.equal(names.charts, 'ghcr.io/example-org/charts');
  t.strictSame(tagsOf(names, '1.2.3'), [
    'ghcr.io/example-org/gatehouse.fork:1.2.3',
    'ghcr.io/example-org/gatehouse.fork:latest',
  ]);
  t.strictSame(
    tagsOf(names, '1.2.3-rc.1'),
    ['ghcr.io/example-org/gatehouse.fork:1.2.3-rc.1'],
    'which is not the latest',
  );
  t.equal(namesFrom({ ...env, REGISTRY: 'registry.example.com' }).charts, 'registry.example.com/example-org/charts');
  for (const GITHUB_REPOSITORY of ['', 'gatehouse', 'a/b\nc=d', 'a/b c', '../b'])
    t.throws(() => namesFrom({ GITHUB_REPOSITORY }), /set it to OWNER\/REPOSITORY/, GITHUB_REPOSITORY);
  for (const line of outputs(names, '1.2.3').trim().split('\n')) t.match(line, /^[a-z]+=\S+$/);
});

t.test('the notes are the section of the version, with links to its tag and how to fetch it', async (t) => {
  const notes = notesOf(changelog, version, names);
  t.match(notes, '### Security');
  t.notMatch(notes, /\]\((?!https?:|#)/, 'no link of them leads to a file beside them');
  t.match(notes, `https://github.com/Example-Org/Gatehouse.Fork/blob/v${version}/docs/errors.md`);
  t.match(notes, `docker pull ghcr.io/example-org/gatehouse.fork:${version}`);
  t.throws(() => notesOf(changelog, '99.0.0', names), /has no section "## \[99\.0\.0\]/);
});

t.test('a release publishes its assets in addition to the image', { skip: skipWithout(helm) }, async (t) => {
  const root = copyOfCheckout(t, ['helm']);
  const folder = join(root, 'release');
  const { status, output } = release(['assets', folder], root);
  t.equal(status, 0, output);
  const [npmFile, chartFile, bill] = [
    `gatehouse-oauth-${version}.tgz`,
    `gatehouse-${version}.tgz`,
    `gatehouse-${version}.cdx.json`,
  ];
  t.strictSame(readdirSync(folder).sort(), [chartFile, bill, npmFile, 'SHA256SUMS', 'notes.md'].sort());
  t.match(release(['assets', folder], root), { status: 1, output: /is not empty/ });

  t.test('the checksums match the files', async (t) => {
    const lines = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
    t.equal(lines.length, 3);
    for (const line of lines) {
      const [sum, name = ''] = line.split('  ');
      t.equal(
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
        sum,
        name,
      );
    }
  });

  t.test('the bill of materials is CycloneDX and lists what the program needs', async (t) => {
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, bill), 'utf8'));
    t.equal(bomFormat, 'CycloneDX');
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const billed = new Set(
      components.map(({ name, group }: Record<string, string>) => (group ? `${group}/${name}` : name)),
    );
    for (const name of Object.keys(dependencies)) t.ok(billed.has(name), name);
  });

  t.test('the npm package names its repository, and none of its pages has a broken link', async (t) => {
    const unpacked = unpack(t, join(folder, npmFile));
    const read = (name: string) => readFileSync(join(unpacked, 'package', name), 'utf8');
    const manifest = JSON.parse(read('package.json'));
    t.match(manifest, { name: 'gatehouse-oauth', version, bin: { gatehouse: 'bin/gatehouse.js' } });
    t.equal(manifest.repository.url, 'git+https://github.com/Example-Org/Gatehouse.Fork.git');
    t.ok(existsSync(join(unpacked, 'package/dist/cli.js')));
    const pages = readdirSync(join(unpacked, 'package'), { recursive: true, encoding: 'utf8' });
    for (const page of pages.filter((name) => name.endsWith('.md')))
      for (const [, link = ''] of read(page).matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)) {
        const target = posix.join(posix.dirname(page), link);
        t.ok(existsSync(join(unpacked, 'package', target)), `${page} leads to ${target}`);
      }
    const readme = read('README.md');
    t.match(readme, `https://github.com/Example-Org/Gatehouse.Fork/blob/v${version}/bench/README.md`);
    t.match(readme, '](docs/quick-start.md)', 'a link to what is in the package stays');
  });

  t.test('the chart installs the published image by default, and helm lint passes', async (t) => {
    const chart = join(folder, chartFile);
    const values = join(checkout, 'test/deploy/values-without-image.yaml');
    const run = (args: readonly string[]) => spawnSync(helm, args, { encoding: 'utf8' });
    const linted = run(['lint', '--strict', chart, '--values', values]);
    t.equal(linted.status, 0, linted.stdout);
    const { status, stdout, stderr } = run(['template', 'try', chart, '--values', values]);
    t.equal(status, 0, stderr);
    t.match(stdout, `image: "ghcr.io/example-org/gatehouse.fork:${version}"`);
    const plain = run(['template', 'try', join(checkout, 'helm/gatehouse'), '--values', values]);
    t.match(plain.stderr, /image\.registry is empty.*set image\.registry to/, 'which the chart of a checkout refuses');
    const unpacked = unpack(t, chart);
    t.match(parse(readFileSync(join(unpacked, 'gatehouse/Chart.yaml'), 'utf8')), {
      version,
      appVersion: version,
      home: names.home,
    });
    t.match(readFileSync(join(unpacked, 'gatehouse/values.yaml'), 'utf8'), '# Both programs are in one image.');
  });
});

function unpack(t: Test, file: string): string {
  const folder = temporaryFolder(t);
  t.equal(spawnSync('tar', ['-xzf', file, '-C', folder]).status, 0);
  return folder;
}
