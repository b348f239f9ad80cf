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
      /** Without secrets, the variables and files that were not read, and of which nothing was judged. */
      readonly passedOver: readonly string[];
    }
  | {
      readonly ok: false;
      /** Without an error: what was judged is right, but without secrets there is no value for all that it needs. */
      readonly problems: readonly Problem[];
      /** As above, where there is no error. */
      readonly passedOver?: readonly string[];
      /** Those of them that leave the file without a whole configuration. */
      readonly lacking?: readonly string[];
    };

type Env = Readonly<Record<string, string | undefined>>;

export interface TextOptions {
  /** For messages, and its directory for relative paths. */
  readonly file?: string;
  readonly env?: Env;
  /** As loadGatewayWithoutSecrets: placeholders stand for what variables would say. */
  readonly withoutSecrets?: boolean;
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
 * Loads gateway.yaml. All faults are returned at once. `files` gets the absolute path of every file that the outcome depends
 * on, this one first. A caller that asks for it reloads while it serves requests, so no pipe is waited for.
 */
export function loadGatewayConfig(file: string, env: Env = process.env, files?: FileNotes): Loaded<GatewayConfig> {
  files?.add(resolve(file));
  return loadFile(gateway, file, env, { files });
}

/** Loads authorization.yaml. Whatever is wrong is returned, all at once. */
export function loadAuthorizationConfig(file: string, env: Env = process.env): Loaded<AuthorizationConfig> {
  return loadFile(authorization, file, env);
}

/** As loadGatewayConfig, from text. The environment is empty unless given. */
export function loadGatewayText(
  text: string,
  { file = 'gateway.yaml', env = {}, withoutSecrets = false }: TextOptions = {},
): Loaded<GatewayConfig> {
  return loadText(gateway, text, file, env, withoutSecrets ? { passedOver: new Set() } : {});
}

/** As loadAuthorizationConfig, from text. The environment is empty unless given. */
export function loadAuthorizationText(
  text: string,
  { file = 'authorization.yaml', env = {}, withoutSecrets = false }: TextOptions = {},
): Loaded<AuthorizationConfig> {
  return loadText(authorization, text, file, env, withoutSecrets ? { passedOver: new Set() } : {});
}

/**
 * As loadGatewayConfig, of the file alone: neither the environment nor a secret is read. Placeholders stand for what they
 * would say, so the outcome is for judging, and never for serving.
 */
export function loadGatewayWithoutSecrets(file: string): Loaded<GatewayConfig> {
  return loadFile(gateway, file, {}, { passedOver: new Set() });
}

/** As loadAuthorizationConfig, of the file alone: see loadGatewayWithoutSecrets. */
export function loadAuthorizationWithoutSecrets(file: string): Loaded<AuthorizationConfig> {
  return loadFile(authorization, file, {}, { passedOver: new Set() });
}

/** Receivers of file names, in addition to the outcome. */
interface Notes {
  readonly files?: FileNotes | undefined;
  readonly passedOver?: Set<string>;
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
  { files = new Set(), passedOver }: Notes = {},
): Loaded<Config> {
  const directory = dirname(resolve(file));
  const other = mistaken(text, file, kind.name);
  if (other !== undefined) return other;
  const place = { directory, files, ...(passedOver && { passedOver }) };
  const sources = { ...place, env };
  const parsed = parseYaml({ file, text, sources });
  if (parsed.tree === undefined) return { ok: false, problems: toProblems(text, parsed.contents, parsed.faults) };
  const respelt = respell(parsed.tree, kind.schema);
  const overridden = applyEnvironment(respelt.tree, kind.schema, sources);
  const typed = typeBySchema(respelt.tree, kind.schema);
  const tree = passedOver === undefined ? typed : fitPlaceholders(typed, kind.schema, judgeBy(kind, place));
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

type LoadedPlace = FileContext & { readonly passedOver?: ReadonlySet<string> & FileNotes };

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
  const { shape, meaning } = examine(kind, tree, place);
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
  const { directory, passedOver = [] } = place;
  // A file without a known name is named by its variable.
  const untold = [...passedOver].filter((each) => !isPlaceholder(each));
  if (open.length > 0) return { ok: false, problems, passedOver: untold, lacking: variablesOf(open, tree, untold) };
  const config = kind.complete(applyDefaults(kind.schema, plain(tree)) as File);
  const locate = (pointer: Pointer) => positionOf(tree, pointer);
  return { ok: true, config, warnings: problems, locate, directory, tree, passedOver: untold };
}

/** By their names alone: among other text they may stand in one that has a secret. */
function variablesOf(findings: readonly Finding[], tree: Tree, withheld: readonly string[]): readonly string[] {
  const values = findings.map(({ pointer }) => find(tree, pointer));
  const origins = values.map((value) => (value?.kind === 'scalar' ? (value.origin ?? '') : ''));
  return withheld.filter((name) => name.startsWith('${') && origins.some((origin) => origin.includes(name)));
}

/** A warning about a placeholder may not apply to its value. */
function isOfPlaceholder(finding: Finding, tree: Tree): boolean {
  return finding.severity === 'warning' && isAtPlaceholder(finding, tree);
}

interface Examined {
  readonly shape: readonly Finding[];
  readonly meaning: readonly Finding[];
}

function examine<Config, File>(kind: Kind<Config, File>, tree: Tree, place: FileContext): Examined {
  const values = plain(tree);
  const { findings: shape, isWhole } = kind.validate(values, shownIn(tree));
  const cite = (pointer: Pointer) => `line ${positionOf(tree, pointer).line}`;
  // What was not looked through to its end cannot be judged by what it means.
  return { shape, meaning: isWhole ? check(kind, values, shape, { ...place, cite }) : [] };
}

function check<Config, File>(
  kind: Kind<Config, File>,
  values: unknown,
  shape: readonly Finding[],
  around: Surroundings,
): readonly Finding[] {
  const sound = leaveOutFaults(values, kind.schema, shape);
  return sound === undefined ? [] : kind.check(applyDefaults(kind.schema, sound.values) as File, sound.left, around);
}
