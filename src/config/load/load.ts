import { dirname, isAbsolute, resolve } from 'node:path';
import { cutOff } from '../files/cut-off.ts';
import { readText } from '../files/read-text.ts';
import type { FileNotes } from '../files/referred-file.ts';
import { checkAuthorization } from '../rules/authorization.ts';
import type { Surroundings } from '../rules/checks.ts';
import { checkGateway } from '../rules/gateway.ts';
import { type AuthorizationConfig, type AuthorizationFile, AuthorizationSchema } from '../schema/authorization.ts';
import { type GatewayConfig, type GatewayFile, GatewaySchema } from '../schema/gateway.ts';
import type { Schema } from '../schema/input-schema.ts';
import { completeAuthorization, completeGateway } from '../validate/complete.ts';
import { settle } from '../validate/settle.ts';
import { leaveOutFaults } from '../validate/sound.ts';
import { buildValidate, type Validate } from '../validate/validate.ts';
import type { Finding, Pointer, Position, Problem } from '../words/problem.ts';
import { detectKind, type FileKind } from '../yaml/detect.ts';
import { applyEnvironment } from '../yaml/environment.ts';
import { type Fault, type Parsed, parseYaml } from '../yaml/parse.ts';
import { type Respelt, respell } from '../yaml/respell.ts';
import { placeOf, plain, type Tree } from '../yaml/tree.ts';
import { typeBySchema } from '../yaml/type-by-schema.ts';
import { isEcho, shownIn, toProblems, unfill } from './told.ts';

export { formatProblems } from '../files/format.ts';
export type { Pointer, Position, Problem } from '../words/problem.ts';

/** A configuration as the program uses it, or everything that is wrong with the file. */
export type Loaded<Config> =
  | {
      readonly ok: true;
      /** Frozen; defaults filled in, durations in milliseconds, sizes in bytes. */
      readonly config: Config;
      readonly warnings: readonly Problem[];
      /** Where a value stands; the nearest place above it for one that is a default. */
      readonly locate: (pointer: Pointer) => Position;
      /** What relative paths in the file are relative to. */
      readonly directory: string;
      /** The values as they were given, with their places: without defaults, durations and sizes as text. */
      readonly tree: Tree;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Env = Readonly<Record<string, string | undefined>>;

export interface TextOptions {
  /** For messages, and its directory for relative paths. */
  readonly file?: string;
  readonly env?: Env;
}

interface Kind<Config, File> {
  readonly name: FileKind;
  readonly schema: Schema;
  readonly validate: Validate;
  readonly check: (file: File, left: readonly Pointer[], around: Surroundings) => readonly Finding[];
  readonly complete: (file: File) => Config;
}

const gateway: Kind<GatewayConfig, GatewayFile> = {
  name: 'gateway',
  schema: GatewaySchema as unknown as Schema,
  validate: buildValidate(GatewaySchema as unknown as Schema),
  check: checkGateway,
  complete: completeGateway,
};

const authorization: Kind<AuthorizationConfig, AuthorizationFile> = {
  name: 'authorization',
  schema: AuthorizationSchema as unknown as Schema,
  validate: buildValidate(AuthorizationSchema as unknown as Schema),
  check: checkAuthorization,
  complete: completeAuthorization,
};

/**
 * Loads gateway.yaml. Whatever is wrong is returned, all at once. `files` is told the absolute path of every file that the
 * outcome depends on, this one first; whoever asks for that reads it again, with other work to do, and waits for no pipe.
 */
export function loadGatewayConfig(file: string, env: Env = process.env, files?: FileNotes): Loaded<GatewayConfig> {
  files?.add(resolve(file));
  return loadFile(gateway, file, env, files);
}

/** Loads authorization.yaml. Whatever is wrong is returned, all at once. */
export function loadAuthorizationConfig(file: string, env: Env = process.env): Loaded<AuthorizationConfig> {
  return loadFile(authorization, file, env);
}

/** As loadGatewayConfig, from text. The environment is empty unless given. */
export function loadGatewayText(
  text: string,
  { file = 'gateway.yaml', env = {} }: TextOptions = {},
): Loaded<GatewayConfig> {
  return loadText(gateway, text, file, env);
}

/** As loadAuthorizationConfig, from text. The environment is empty unless given. */
export function loadAuthorizationText(
  text: string,
  { file = 'authorization.yaml', env = {} }: TextOptions = {},
): Loaded<AuthorizationConfig> {
  return loadText(authorization, text, file, env);
}

function loadFile<Config, File>(kind: Kind<Config, File>, file: string, env: Env, files?: FileNotes): Loaded<Config> {
  const read = readText(file, { waits: files === undefined });
  if (!read.ok) {
    const { line, column, message, hint = hintOf(file) } = read;
    return { ok: false, problems: [{ severity: 'error', file, line, column, message, hint }] };
  }
  const cut = cutOff(read.text);
  if (cut !== undefined) return { ok: false, problems: [{ severity: 'error', file, ...cut }] };
  return loadText(kind, read.text, file, env, files);
}

function hintOf(file: string): string {
  return isAbsolute(file) ? 'name a file that is there' : relativeHint(file);
}

function loadText<Config, File>(
  kind: Kind<Config, File>,
  text: string,
  file: string,
  env: Env,
  files: FileNotes = new Set(),
): Loaded<Config> {
  const directory = dirname(resolve(file));
  const other = detectKind(text);
  if (other !== undefined && other !== kind.name) return mistaken(file, other);
  const sources = { env, directory, files };
  const parsed = parseYaml({ file, text, sources });
  if (parsed.tree === undefined) return { ok: false, problems: toProblems(text, parsed.contents, parsed.faults) };
  const respelt = respell(parsed.tree, kind.schema);
  const overridden = applyEnvironment(respelt.tree, kind.schema, sources);
  const tree = typeBySchema(respelt.tree, kind.schema);
  const faults = [...parsed.faults, ...respelt.faults, ...overridden];
  const { contents } = parsed;
  return judge(kind, { text, contents, tree, directory, files, faults, isGuessed: respelt.isGuessed });
}

interface Grown {
  readonly text: string;
  readonly contents: Parsed['contents'];
  readonly tree: Tree;
  readonly directory: string;
  readonly files: FileNotes;
  readonly faults: readonly Fault[];
  readonly isGuessed: Respelt['isGuessed'];
}

function judge<Config, File>(
  kind: Kind<Config, File>,
  { text, contents, tree, directory, files, faults, isGuessed }: Grown,
): Loaded<Config> {
  const values = plain(tree);
  const locate = (pointer: Pointer) => placeOf(tree, pointer);
  const { findings: shape, isWhole } = kind.validate(values, shownIn(tree));
  const cite = (pointer: Pointer) => `line ${locate(pointer).line}`;
  // What was not looked through to its end cannot be judged by what it means.
  const meaning = isWhole ? check(kind, values, shape, { directory, files, cite }) : [];
  const findings = [
    ...shape.filter((finding) => !isEcho(finding, tree, faults) && !isGuessed(finding.pointer)),
    ...meaning.map((finding) => unfill(finding, tree)),
  ];
  const told = findings.map((finding) => ({ ...finding, at: placeOf(tree, finding.pointer, finding.atKey) }));
  const problems = toProblems(text, contents, [...faults, ...told]);
  if (problems.some(({ severity }) => severity === 'error')) return { ok: false, problems };
  const config = kind.complete(settle(kind.schema, values) as File);
  return { ok: true, config, warnings: problems, locate, directory, tree };
}

function check<Config, File>(
  kind: Kind<Config, File>,
  values: unknown,
  shape: readonly Finding[],
  around: Surroundings,
): readonly Finding[] {
  const sound = leaveOutFaults(values, kind.schema, shape);
  return sound === undefined ? [] : kind.check(settle(kind.schema, sound.values) as File, sound.left, around);
}

/** Judged by the other file's rules, every key of it would be unknown. */
function mistaken(file: string, kind: FileKind): { ok: false; problems: readonly Problem[] } {
  const message = `this is the file of the ${kind === 'gateway' ? 'gateway' : 'authorization service'}`;
  const hint = `run it with \`gatehouse ${kind} --config ${file}\``;
  return { ok: false, problems: [{ severity: 'error', file, line: 1, column: 1, message, hint }] };
}

/** These are looked for where a command is given no file. */
const DEFAULTS: ReadonlySet<string> = new Set(['gateway.yaml', 'authorization.yaml']);

function relativeHint(file: string): string {
  const hint = `paths are relative to ${process.cwd()}`;
  return DEFAULTS.has(file) ? `${hint}; \`--config FILE\` names another one` : hint;
}
