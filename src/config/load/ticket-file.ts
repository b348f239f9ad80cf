import { dirname, resolve } from 'node:path';
import { adminParts } from '../schema/admin.ts';
import { type GatewayConfig, type GatewayFile, GatewaySchema } from '../schema/gateway.ts';
import type { Schema } from '../schema/input-schema.ts';
import { applyDefaults } from '../validate/apply-defaults.ts';
import { buildValidate } from '../validate/validate.ts';
import type { Problem } from '../words/problem.ts';
import { secretKeyFaults } from '../words/secret-key.ts';
import { applyEnvironment } from '../yaml/environment.ts';
import { interpolate, type Sources } from '../yaml/interpolate.ts';
import { type Fault, parseYaml } from '../yaml/parse.ts';
import { plain, positionOf, type Tree } from '../yaml/tree.ts';
import { typeBySchema } from '../yaml/type-by-schema.ts';
import { mistaken, readFile } from './read-file.ts';
import { isEcho, shownIn, toProblems } from './redact-findings.ts';

/** The part of gateway.yaml that opens tickets. */
export type TicketConfig = Pick<GatewayConfig, 'ticket_keys' | 'admin'>;

export type LoadedTicketFile =
  | { readonly ok: true; readonly config: TicketConfig }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Env = Readonly<Record<string, string | undefined>>;

const { ticket_keys, admin } = GatewaySchema.properties;

/**
 * Loads only the part of gateway.yaml that opens tickets. The person who opens one need not have the gateway's other secrets,
 * or files that exist only on its machine.
 */
export function loadTicketFile(file: string, env: Env = process.env): LoadedTicketFile {
  return loadPart(file, env, { ticket_keys, admin });
}

/** Loads only the address of the admin listener, for a command that asks it. */
export function loadAdminAddress(file: string, env: Env = process.env): LoadedTicketFile {
  return loadPart(file, env, { admin });
}

function loadPart(file: string, env: Env, properties: object): LoadedTicketFile {
  const schema = { type: 'object', properties } as unknown as Schema;
  const read = readFile(file, { waits: true });
  if (!read.ok) return read;
  const other = mistaken(read.text, file, 'gateway');
  if (other !== undefined) return other;
  const parsed = parseYaml({ file, text: read.text, sources: { env: {}, directory: '', skipped: new Set() } });
  const told = (faults: readonly Fault[]) => toProblems(read.text, parsed.contents, faults);
  if (parsed.tree === undefined) return { ok: false, problems: told(parsed.faults) };
  const faults: Fault[] = [];
  const sources = { env: ofKeys(env, schema), directory: dirname(resolve(file)) };
  const part = partOf(parsed.tree, schema, { ...sources, env }, faults);
  faults.push(...applyEnvironment(part, schema, sources));
  const tree = typeBySchema(part, schema);
  const wrong = findings(tree, schema, faults);
  return wrong.length === 0
    ? { ok: true, config: completed(applyDefaults(schema, plain(tree)) as Pick<GatewayFile, keyof TicketConfig>) }
    : { ok: false, problems: told(wrong) };
}

function completed({ admin, ...rest }: Pick<GatewayFile, keyof TicketConfig>): TicketConfig {
  return { ...rest, ...(admin && { admin: adminParts(admin) }) };
}

/** What a program that only connects does not need. */
const OF_CONSOLE = /^GATEHOUSE__ADMIN__(ACCESS|CONSOLE|URL)/i;

/** Drops the overrides of other keys. */
function ofKeys(env: Env, { properties = {} }: Schema): Env {
  const keyOf = (name: string) => /^GATEHOUSE__([a-z]+(?:_[a-z]+)*)(?:__|$)/i.exec(name)?.[1]?.toLowerCase();
  const isAsked = (name: string) => Object.hasOwn(properties, keyOf(name) ?? '') && !OF_CONSOLE.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isAsked(name)));
}

/** The keys of the schema, with their variables filled in. */
function partOf(tree: Tree, schema: Schema, sources: Sources, faults: Fault[]): Tree {
  if (tree.kind !== 'map') return tree;
  const wanted = [...tree.entries].filter(([key]) => Object.hasOwn(schema.properties ?? {}, key));
  const entries = wanted.map(
    ([key, entry]) => [key, { ...entry, value: filled(withoutAccess(entry.value), sources, faults) }] as const,
  );
  return { ...tree, entries: new Map(entries) };
}

/** The keys of `admin` with which a command finds the listener. The other keys may have secrets. */
const PLACE: ReadonlySet<string> = new Set(['listen', 'tls', 'cert', 'key']);

function withoutAccess(tree: Tree): Tree {
  if (tree.kind !== 'map') return tree;
  return { ...tree, entries: new Map([...tree.entries].filter(([key]) => PLACE.has(key))) };
}

function filled(tree: Tree, sources: Sources, faults: Fault[]): Tree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => filled(item, sources, faults)) };
  if (tree.kind === 'map') {
    const entries = [...tree.entries].map(
      ([key, entry]) => [key, { ...entry, value: filled(entry.value, sources, faults) }] as const,
    );
    return { ...tree, entries: new Map(entries) };
  }
  if (tree.kind !== 'scalar' || tree.origin === undefined) return tree;
  const value = interpolate(tree.origin, sources);
  if (value.ok) return { ...tree, value: value.text };
  faults.push({ at: tree.at, message: value.message, hint: value.hint });
  return { ...tree, value: null };
}

function findings(tree: Tree, schema: Schema, faults: readonly Fault[]): readonly Fault[] {
  const values = plain(tree) as { ticket_keys?: unknown };
  const shape = buildValidate(schema)(values, shownIn(tree)).findings;
  const keys = shape.length === 0 && Array.isArray(values.ticket_keys) ? values.ticket_keys : [];
  const found = [
    ...shape.filter((finding) => !isEcho(finding, tree, faults)),
    ...keys.flatMap((key, index) => secretKeyFaults(['ticket_keys', index], String(key))),
  ];
  return [...faults, ...found.map((finding) => ({ ...finding, at: positionOf(tree, finding.pointer, finding.atKey) }))];
}
