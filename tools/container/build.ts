import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { baseImage } from './base-image.ts';
import { type Instruction, labelsOf, parseDockerfile, type Stage } from './dockerfile.ts';

/** What an engine would start: a tree of files, and how to start it. */
export interface Image {
  readonly root: string;
  readonly user: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
  readonly exposed: readonly string[];
}

export interface BuildOptions {
  /** The folder with Dockerfile and .dockerignore. */
  readonly context: string;
  /** Empty. The trees of the stages are created below it. */
  readonly folder: string;
  readonly args?: Readonly<Record<string, string>>;
}

interface Building {
  readonly context: string;
  readonly allowed: ReadonlySet<string>;
  readonly images: ReadonlyMap<string, Image>;
  image: Image;
}

/**
 * Executes a Dockerfile without an engine: name of a stage → image.
 * It does as an engine does: arguments, stages, COPY with .dockerignore and owners, WORKDIR, ENV, and the order of
 * instructions.
 * It has limits: RUN uses the programs and the Node.js of this machine, in its WORKDIR of the copy, and base images are
 * substitutes with only the parts that are used.
 */
export function build({ context, folder, args = {} }: BuildOptions): ReadonlyMap<string, Image> {
  const stages = parseDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'), args);
  const allowed = allowedIn(context);
  const images = new Map<string, Image>();
  for (const stage of stages) {
    const root = join(folder, stage.name);
    const building: Building = { context, allowed, images, image: begun(stage, root, images) };
    for (const each of stage.instructions) carryOut(each, building);
    images.set(stage.name, building.image);
  }
  return images;
}

function begun({ from, instructions }: Stage, root: string, images: ReadonlyMap<string, Image>): Image {
  const earlier = images.get(from);
  if (earlier !== undefined) {
    const changing = instructions.find(({ word }) => ['RUN', 'COPY', 'WORKDIR'].includes(word));
    if (changing !== undefined)
      throw new Error(
        `Dockerfile:${changing.line}: a stage on top of ${from} changes files, which is not understood here`,
      );
    return earlier;
  }
  mkdirSync(root, { recursive: true });
  baseImage(from, root);
  const nothing = { env: {}, labels: {}, volumes: [], entrypoint: [], cmd: [], healthcheck: [], exposed: [] };
  return { root, user: '0', workdir: '/', ...nothing };
}

const steps: Readonly<Record<string, (instruction: Instruction, building: Building) => Partial<Image> | undefined>> = {
  RUN: run,
  COPY: copy,
  WORKDIR({ args: [path = '/'] }, { image }) {
    const workdir = posix.resolve(image.workdir, path);
    mkdirSync(join(image.root, workdir), { recursive: true });
    return { workdir };
  },
  ENV: ({ args }, { image }) => ({ env: { ...image.env, ...Object.fromEntries(args.map((each) => each.split('='))) } }),
  LABEL: (instruction, { image }) => ({ labels: { ...image.labels, ...labelsOf(instruction) } }),
  USER: ({ args: [user = ''] }) => ({ user }),
  VOLUME: ({ args }, { image }) => ({ volumes: [...image.volumes, ...args] }),
  EXPOSE: ({ args }, { image }) => ({ exposed: [...image.exposed, ...args] }),
  ENTRYPOINT: (instruction) => ({ entrypoint: withoutShell(instruction) }),
  CMD: (instruction) => ({ cmd: withoutShell(instruction) }),
  HEALTHCHECK: (instruction) => ({ healthcheck: withoutShell(instruction) }),
};

function carryOut(instruction: Instruction, building: Building): void {
  const changes = steps[instruction.word]?.(instruction, building);
  building.image = { ...building.image, ...changes };
}

function withoutShell({ line, word, args, isExec }: Instruction): readonly string[] {
  if (!isExec) throw new Error(`Dockerfile:${line}: ${word} in the shell form, and the image has no shell`);
  return args;
}

/**
 * A test runner adds NODE_OPTIONS to each process that it starts, so the shell removes them where the runner cannot see
 * it.
 */
function run({ line, args: [command = ''] }: Instruction, { image }: Building): undefined {
  if (/(^|[\s=])\//.test(command))
    throw new Error(`Dockerfile:${line}: RUN with an absolute path, which would be one of this machine`);
  const env = { ...handedIn(), ...image.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const cwd = join(image.root, image.workdir);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `umask 022; unset NODE_OPTIONS; ${command}`], {
    cwd,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Dockerfile:${line}: RUN ${command}: exit status ${status}\n${stdout}${stderr}`);
}

/** How this machine reaches a registry. An engine would not have the other variables. */
const handed =
  /^(HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(https?|no)_proxy|npm_config_(registry|cache|userconfig))$/i;

function handedIn(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => handed.test(name)));
}

function copy({ line, args, flags }: Instruction, { context, allowed, images, image }: Building): undefined {
  const from = flags.from === undefined ? context : images.get(flags.from)?.root;
  if (from === undefined) throw new Error(`Dockerfile:${line}: no stage ${flags.from} before this`);
  const to = args.at(-1) ?? '';
  const target = join(image.root, posix.resolve(image.workdir, to));
  for (const source of args.slice(0, -1)) {
    const path = join(from, source);
    const isIgnored = flags.from === undefined && !allowed.has(posix.normalize(source).split('/')[0] ?? '');
    if (isIgnored || !existsSync(path)) throw new Error(`Dockerfile:${line}: ${source} is not in the context`);
    const place = lstatSync(path).isDirectory() || !to.endsWith('/') ? target : join(target, basename(source));
    mkdirSync(dirname(place), { recursive: true });
    cpSync(path, place, { recursive: true, verbatimSymlinks: true });
    own(place, flags.chown ?? '0:0');
  }
}

/** Only the form of .dockerignore that lists what is included. */
function allowedIn(context: string): ReadonlySet<string> {
  const lines = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n');
  const [first, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const odd = others.find((line) => !/^![\w.-]+$/.test(line));
  if (first !== '*' || odd !== undefined) throw new Error(`.dockerignore: ${odd ?? first} is not understood here`);
  return new Set(others.map((line) => line.slice(1)));
}

/** Modes are kept, as engines do. A file that other users cannot read here, the image's user cannot read there. */
function own(path: string, owner: string): void {
  const [user = 0, group = 0] = owner.split(':').map(Number);
  const state = lstatSync(path);
  lchownSync(path, user, group);
  if (state.isDirectory()) for (const name of readdirSync(path)) own(join(path, name), owner);
}
