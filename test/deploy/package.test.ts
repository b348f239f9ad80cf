import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { Ajv } from 'ajv';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { billOfMaterials } from '../../tools/sbom.ts';
import { isFullSize } from '../support/long.ts';
import { bothFiles, type Form, keepsThePromisesOfTheDemo, servesBothFiles } from './every-form.ts';
import { checkout, elsewhere, type Installed, install, npm, type Packed, pack, start } from './packed.ts';

/** Starts 40 programs from unbundled files: 100 s in .ci/run, and 220 s on a machine at a third of its speed. */
t.setTimeout(600_000);

const packed = pack(t);
const installed = installedOrWhy(t, packed);
const skip = typeof installed === 'string' ? installed : false;
const here = typeof installed === 'string' ? { folder: '', root: '' } : installed;

/** Without a registry there is nothing to install from. In CI that is a failure. */
function installedOrWhy(t: Test, packed: Packed): Installed | string {
  try {
    return install(t, packed);
  } catch (error) {
    const isOffline = /\bE(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)\b/.test(
      String(error),
    );
    if (!isOffline || isFullSize) throw error;
    return 'npm cannot install: no registry can be reached';
  }
}

/** What the package may contain. A file without a row here is not for users. */
const mayHold: readonly RegExp[] = [
  /^(package\.json|LICENSE|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md)$/,
  /^bin\/gatehouse\.js$/,
  /^config\/(gateway|authorization)\.(yaml|schema\.json)$/,
  /^config\/files\.d\.ts$/,
  /^config\/nginx\/gatehouse-[a-z]+\.conf$/,
  /^docs\/[\w/-]+\.(md|svg)$/,
  /^dist\/[\w/-]+\.js$/,
  /^dist\/demo\/page\/[\w-]+\.(html|css)$/,
  /^dist\/gateway\/console\/console-page\/([\w-]+\.css|vendor\/(uplot\.css|LICENSES\.txt))$/,
];

const mustHold = [
  ...['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'bin/gatehouse.js', 'dist/cli.js'],
  ...['config/gateway.yaml', 'config/gateway.schema.json', 'config/authorization.yaml'],
  ...['config/authorization.schema.json', 'config/files.d.ts', 'docs/configuration.md', 'docs/errors.md'],
  'config/nginx/gatehouse-location.conf',
];

t.test('the package contains only what users need', async (t) => {
  const paths = [...packed.files.keys()];
  t.strictSame(
    paths.filter((path) => !mayHold.some((row) => row.test(path))),
    [],
  );
  t.strictSame(
    mustHold.filter((path) => !packed.files.has(path)),
    [],
  );
});

t.test('dist/ is the whole source, compiled', async (t) => {
  const sources = readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' });
  const compiled = [...packed.files.keys()].filter((path) => path.startsWith('dist/') && path.endsWith('.js'));
  const expected = sources.filter((path) => /\.[jt]s$/.test(path)).map((path) => `dist/${path.replace(/ts$/, 'js')}`);
  t.strictSame(compiled.sort(), expected.sort());
});

const mayNotSay: Readonly<Record<string, RegExp>> = {
  'a source map that is not there': /sourceMappingURL/,
  'a path of the machine that packed it': new RegExp(
    `${RegExp.escape(checkout)}|/(home|Users|root)/\\w|gatehouse-package-`,
  ),
};

for (const [what, pattern] of Object.entries(mayNotSay))
  t.test(`no file of the package mentions ${what}`, async (t) => {
    t.strictSame(
      [...packed.files].filter(([, text]) => pattern.test(text)).map(([path]) => path),
      [],
    );
  });

/** Parts of the repository that pages mention and a package does not need. Pictures of pages would double its size. */
const elsewhereInTheRepository = /^(bench|helm|test)\/|^docs\/pictures\/[\w-]+\.png$/;

t.test('every page that a packed page links to is packed', async (t) => {
  for (const [path, text] of packed.files) {
    if (!path.endsWith('.md')) continue;
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)) {
      const target = posix.normalize(posix.join(posix.dirname(path), link));
      const isPacked = [...packed.files.keys()].some((file) => file === target || file.startsWith(`${target}/`));
      const isLeftOut = !isPacked && existsSync(join(checkout, target)) && !elsewhereInTheRepository.test(target);
      t.notOk(isLeftOut, `${path} leads to ${target}`);
    }
  }
});

t.test('the bill of materials lists exactly the packages that are installed with it', { skip }, async (t) => {
  const { packages } = JSON.parse(readFileSync(join(here.folder, 'node_modules/.package-lock.json'), 'utf8'));
  const names = Object.keys(packages).map((path) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  const billed = billOfMaterials().components.map(({ name }) => name);
  t.strictSame([...new Set(names)].filter((name) => name !== 'gatehouse-oauth').sort(), [...new Set(billed)].sort());
});

t.test('npx runs the installed command', { skip }, async (t) => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  t.match(npm(['--no-install', 'gatehouse', '--version'], here.folder, 'npx'), version);
});

t.test('every command in the help starts from the package alone', { skip }, async (t) => {
  const help = await run(t, ['--help']);
  const listed = help.slice(help.indexOf('To begin:'), help.indexOf('Examples:'));
  const commands = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  t.ok(commands.length > 20, help);
  for (const name of commands)
    t.match(await run(t, [name, '--help']), `Usage: gatehouse ${name}`.replace(/ help$/, ''));
});

/** Its output; fails if the exit status is not 0. */
async function run(t: Test, args: readonly string[]): Promise<string> {
  const command = start(t, here, args);
  const status = await command.ended();
  t.equal(status, 0, `gatehouse ${args.join(' ')}: ${command.output()}`);
  return command.output();
}

/** The installed package, from the folder of the user. */
const form = (t: Test): Form => ({ folder: here.folder, run: (args, options) => start(t, here, args, options) });

t.test('the files of the page about both files are served by the programs of the package', { skip }, async (t) => {
  await servesBothFiles(t, form(t));
});

t.test('the demo answers what it promises at the URLs that it prints', { skip }, async (t) => {
  await keepsThePromisesOfTheDemo(t, form(t));
});

const { gateway: gatewayYaml, authorization: authorizationYaml } = bothFiles;

/** Type → a value in TypeScript → whether tsc accepts it. */
const written: readonly (readonly [string, string, boolean])[] = [
  ['GatewayFile', JSON.stringify(parse(gatewayYaml)), true],
  ['AuthorizationFile', JSON.stringify(parse(authorizationYaml)), true],
  ['GatewayFile', JSON.stringify(parse(readFileSync(join(checkout, 'config/gateway.yaml'), 'utf8'))), true],
  ['AuthorizationFile', JSON.stringify(parse(readFileSync(join(checkout, 'config/authorization.yaml'), 'utf8'))), true],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
  ['GatewayFile', "{ version: 1, workers: '${WORKERS:-auto}', routes: [] }", true],
  ['GatewayFile', '{ version: 1, rotues: [], routes: [] }', false],
  ['GatewayFile', '{ version: 1 }', false],
  ['GatewayFile', "{ version: 1, mode: 'shadwo', routes: [] }", false],
  ['AuthorizationFile', "{ version: 1, issuer: 'http://localhost', clients: [{ client_id: 1 }] }", false],
];

t.test('the types of both files compile with a strict tsc', { skip }, async (t) => {
  const lines = written.map(
    ([type, value, isFit], index) =>
      `${isFit ? '' : '// @ts-expect-error\n'}export const file${index}: ${type} = ${value};\n`,
  );
  const folder = join(here.folder, 'typed');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'files.ts'),
    `import type { AuthorizationFile, GatewayFile } from 'gatehouse-oauth';\n${lines.join('')}`,
  );
  const settings = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext',
    noEmit: true,
    types: [],
    skipLibCheck: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings, files: ['files.ts'] }));
  const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync('/usr/bin/env', ['-u', 'NODE_OPTIONS', process.execPath, tsc, '-p', folder], {
    encoding: 'utf8',
  });
  t.equal(status, 0, stdout);
});

t.test('the packed schemas check files, and nothing else can be imported', { skip }, async (t) => {
  const { resolve } = createRequire(join(here.folder, 'index.js'));
  for (const [name, text] of [
    ['gateway', gatewayYaml],
    ['authorization', authorizationYaml],
  ]) {
    const schema = JSON.parse(readFileSync(resolve(`gatehouse-oauth/${name}.schema.json`), 'utf8'));
    const validate = new Ajv({ strict: true, strictTypes: false }).compile(schema);
    t.ok(validate(parse(text as string)), JSON.stringify(validate.errors));
    t.notOk(validate({ ...parse(text as string), listne: '127.0.0.1:1' }));
  }
  for (const path of ['gatehouse-oauth', 'gatehouse-oauth/dist/cli.js'])
    t.throws(() => resolve(path), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' }, path);
});

const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})`;

t.test('an older Node.js without a newer one available says what to do', { skip }, async (t) => {
  const command = start(t, here, ['--version'], { flags: ['--import', older], env: { PATH: here.folder } });
  t.equal(await command.ended(), 1);
  t.match(
    command.output(),
    /^gatehouse needs Node\.js 24\.15 or newer; this is 20\.0\.0 .*\n.*nodejs\.org.*\n.*npm install node@24\n$/,
  );
});

t.test('an older Node.js finds a newer one in PATH, or installed beside the package', { skip }, async (t) => {
  const { PATH } = elsewhere;
  const inPath = start(t, here, ['--version'], { flags: ['--import', older], env: { PATH } });
  t.equal(await inPath.ended(), 0, inPath.output());
  const link = join(here.folder, 'node_modules/.bin/node');
  symlinkSync(process.execPath, link);
  t.teardown(() => rmSync(link));
  const beside = start(t, here, ['--version'], { flags: ['--import', older], env: { PATH: here.folder } });
  t.equal(await beside.ended(), 0, beside.output());
});
