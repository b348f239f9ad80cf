import { dirname, resolve } from 'node:path';
import type { FileContext, FileNotes } from '../files/referred-file.ts';
import { checkAuthorization } from '../rules/authorization.ts';
import type { Surroundings } from '../rules/checks.ts';
import { checkGateway } from '../rules/gateway.ts';
import { type AuthorizationConfig, type AuthorizationFile, AuthorizationSchema } from '../schema/authorization.ts';
import { type GatewayConfig, type GatewayFile, GatewaySchema } from '../schema/gateway.ts';
import type { Schema } from '../schema/input-schema.ts';
import { applyDefaults } from '../validate/apply-defaults.ts';
import { completeAuthorization, completeGateway } from '../validate/complete.ts';
import { leaveOutFaults } from '../validate/partial-config.ts';
import { buildValidate, type Validate } from '../validate/validate.ts';
import { isPlaceholder } from '../words/placeholder.ts';
import type { Finding, Pointer, Position, Problem } from '../words/problem.ts';
import type { FileKind } from '../yaml/detect.ts';
import { applyEnvironment } from '../yaml/environment.ts';
import { type Fault, type Parsed, parseYaml } from '../yaml/parse.ts';
import { fitPlaceholders, isAtPlaceholder, isOpen } from '../yaml/placeholders.ts';
import { type Respelt, respell } from '../yaml/respell.ts';
import { find, plain, positionOf, type Tree } from '../yaml/tree.ts';
import { typeBySchema } from '../yaml/type-by-schema.ts';
import { mistaken, readFile } from './read-file.ts';
import { isEcho, redactFilledIn, shownIn, toProblems } from './redact-findings.ts';

export { formatProblems } from '../files/format.ts';
export type { Pointer, Position, Problem } from '../words/problem.ts';

/** A configuration that the program can use, or all faults of the file. */
export type Loaded<Config> =
  | {
      readonly ok: true;
      /** Frozen, with defaults filled in, durations in milliseconds and sizes in bytes. */
      readonly config: Config;
      readonly warnings: readonly Problem[];
      /** The position of a value. For a default, the nearest position above it. */
      readonly locate: (pointer: Pointer) => Position;
      /** The folder that relative paths in the file start from. */
      readonly directory: string;
      /** The values as given, with their positions: without defaults, with durations and sizes as text. */
      readonly tree: Tree;
      /** Without secrets: the variables and files that were not read, and so not checked. */
      readonly skipped: readonly string[];
    }
  | {
      readonly ok: false;
      /** Empty: everything that could be checked is valid, but without secrets some required values are missing. */
      readonly problems: readonly Problem[];
      /** As above, if there is no error. */
      readonly skipped?: readonly string[];
      /** The skipped variables and files without which there is no complete configuration. */
      readonly lacking?: readonly string[];
    };

type Env = Readonly<Record<string, string | undefined>>;

export interface TextOptions {
  /** For messages. Relative paths start from its folder. */
  readonly file?: string;
  readonly env?: Env;
  /** As in loadGatewayWithoutSecrets: placeholders replace variables. */
  readonly withoutSecrets?: boolean;
  /** As `withoutSecrets`, and no file is opened either. For text of a person who may not read files here. */
  readonly closed?: boolean;
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
 * Loads gateway.yaml. Returns all faults at once. `files` receives the absolute path of every file that the result depends on,
 * this one first. A caller that passes `files` also loads while it serves requests, so no load waits for a pipe.
 */
export function loadGatewayConfig(file: string, env: Env = process.env, files?: FileNotes): Loaded<GatewayConfig> {
  files?.add(resolve(file));
  return loadFile(gateway, file, env, { files });
}

/** Loads authorization.yaml. Returns all faults at once. */
export function loadAuthorizationConfig(file: string, env: Env = process.env): Loaded<AuthorizationConfig> {
  return loadFile(authorization, file, env);
}

/** Does the same as loadGatewayConfig, from text. The environment is empty by default. */
export function loadGatewayText(
  text: string,
  { file = 'gateway.yaml', env = {}, withoutSecrets = false, closed = false }: TextOptions = {},
): Loaded<GatewayConfig> {
  if (closed) return loadText(gateway, text, file, {}, { skipped: new Set(), isClosed: true });
  return loadText(gateway, text, file, env, withoutSecrets ? { skipped: new Set() } : {});
}

/** Does the same as loadAuthorizationConfig, from text. The environment is empty by default. */
export function loadAuthorizationText(
  text: string,
  { file = 'authorization.yaml', env = {}, withoutSecrets = false }: TextOptions = {},
): Loaded<AuthorizationConfig> {
  return loadText(authorization, text, file, env, withoutSecrets ? { skipped: new Set() } : {});
}

/**
 * Does the same as loadGatewayConfig, without the environment and without secrets. Placeholders replace their values. So the
 * result is only for checks, never for serving.
 */
export function loadGatewayWithoutSecrets(file: string): Loaded<GatewayConfig> {
  return loadFile(gateway, file, {}, { skipped: new Set() });
}

/** Does the same as loadAuthorizationConfig, without the environment and without secrets: see loadGatewayWithoutSecrets. */
export function loadAuthorizationWithoutSecrets(file: string): Loaded<AuthorizationConfig> {
  return loadFile(authorization, file, {}, { skipped: new Set() });
}

/** Receivers of filenames. */
interface Notes {
  readonly files?: FileNotes | undefined;
  readonly skipped?: Set<string>;
  readonly isClosed?: boolean;
}

function loadFile<Config, File>(kind: Kind<Config, File>, file: string, env: Env, notes: Notes = {}): Loaded<Config> {
  const read = readFile(file, { waits: notes.files === undefined });
  return read.ok ? loadText(kind, read.text, file, env, notes) : read;
}

function loadText<Config, File>(
  kind: Kind<Config, File>,
  text: string,
  file: string,
  env: Env,
  { files = new Set(), skipped, isClosed = false }: Notes = {},
): Loaded<Config> {
  const directory = dirname(resolve(file));
  const other = mistaken(text, file, kind.name);
  if (other !== undefined) return other;
  const place = { directory, files, isClosed, ...(skipped && { skipped }) };
  const sources = { ...place, env };
  const parsed = parseYaml({ file, text, sources });
  if (parsed.tree === undefined) return { ok: false, problems: toProblems(text, parsed.contents, parsed.faults) };
  const respelt = respell(parsed.tree, kind.schema);
  const overridden = applyEnvironment(respelt.tree, kind.schema, sources);
  const typed = typeBySchema(respelt.tree, kind.schema);
  const tree = skipped === undefined ? typed : fitPlaceholders(typed, kind.schema, judgeBy(kind, place));
  const faults = [...parsed.faults, ...respelt.faults, ...overridden];
  const { contents } = parsed;
  return judge(kind, { text, contents, tree, place, faults, isGuessed: respelt.isGuessed });
}

function judgeBy<Config, File>(kind: Kind<Config, File>, place: FileContext): (tree: Tree) => readonly Finding[] {
  return (tree) => {
    const { shape, meaning } = examine(kind, tree, place);
    return [...shape, ...meaning];
  };
}

type LoadedPlace = FileContext & { readonly skipped?: ReadonlySet<string> & FileNotes };

interface Grown {
  readonly text: string;
  readonly contents: Parsed['contents'];
  readonly tree: Tree;
  readonly place: LoadedPlace;
  readonly faults: readonly Fault[];
  readonly isGuessed: Respelt['isGuessed'];
}

function judge<Config, File>(
  kind: Kind<Config, File>,
  { text, contents, tree, place, faults, isGuessed }: Grown,
): Loaded<Config> {
  const { shape, meaning, whole } = examine(kind, tree, place);
  const open = [...shape, ...meaning].filter((finding) => isOpen(finding, tree, kind.schema));
  const findings = [
    ...shape.filter(
      (finding) => !isEcho(finding, tree, faults) && !isGuessed(finding.pointer) && !open.includes(finding),
    ),
    ...meaning
      .filter((finding) => !isOfPlaceholder(finding, tree) && !open.includes(finding))
      .map((finding) => redactFilledIn(finding, tree)),
  ];
  const told = findings.map((finding) => ({ ...finding, at: positionOf(tree, finding.pointer, finding.atKey) }));
  const problems = toProblems(text, contents, [...faults, ...told]);
  if (problems.some(({ severity }) => severity === 'error')) return { ok: false, problems };
  const { directory, skipped = [] } = place;
  // A file without a known name is listed by its variable.
  const untold = [...skipped].filter((each) => !isPlaceholder(each));
  if (open.length > 0) return { ok: false, problems, skipped: untold, lacking: variablesOf(open, tree, untold) };
  const config = kind.complete(whole ?? settled(kind, plain(tree)));
  const locate = (pointer: Pointer) => positionOf(tree, pointer);
  return { ok: true, config, warnings: problems, locate, directory, tree, skipped: untold };
}

/** Lists variables by name only: the text around them may contain a secret. */
function variablesOf(findings: readonly Finding[], tree: Tree, withheld: readonly string[]): readonly string[] {
  const values = findings.map(({ pointer }) => find(tree, pointer));
  const origins = values.map((value) => (value?.kind === 'scalar' ? (value.origin ?? '') : ''));
  return withheld.filter((name) => name.startsWith('${') && origins.some((origin) => origin.includes(name)));
}

/** A warning about a placeholder may not apply to the real value. */
function isOfPlaceholder(finding: Finding, tree: Tree): boolean {
  return finding.severity === 'warning' && isAtPlaceholder(finding, tree);
}

interface Examined<File> {
  readonly shape: readonly Finding[];
  readonly meaning: readonly Finding[];
  /** With its defaults. Undefined if the form has a fault. */
  readonly whole?: File;
}

function examine<Config, File>(kind: Kind<Config, File>, tree: Tree, place: FileContext): Examined<File> {
  const values = plain(tree);
  const { findings: shape, isWhole } = kind.validate(values, shownIn(tree));
  // If the check of the form is incomplete, the check of the meaning is skipped.
  const sound = isWhole ? leaveOutFaults(values, kind.schema, shape) : undefined;
  if (sound === undefined) return { shape, meaning: [] };
  const cite = (pointer: Pointer) => `line ${positionOf(tree, pointer).line}`;
  const file = settled(kind, sound.values);
  const meaning = kind.check(file, sound.left, { ...place, cite });
  return sound.left.length > 0 ? { shape, meaning } : { shape, meaning, whole: file };
}

function settled<Config, File>({ schema }: Kind<Config, File>, values: unknown): File {
  return applyDefaults(schema, values) as File;
}
