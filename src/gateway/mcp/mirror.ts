import type { RequestHead } from '../message/request-head.ts';
import { headerReader } from '../routing/lenient-fields.ts';
import { decodeValue, encodeValue } from './header-value.ts';
import type { McpMessage } from './message.ts';
import { namedMethods } from './named-methods.ts';
import { isMirrored } from './revisions.ts';
import { argumentAt, isPrimitive, type ToolParam, UNCLEAR } from './tool-params.ts';

/**
 * - `require`: the headers must repeat the body.
 * - `derive`: the gateway also adds the headers that are missing.
 * - `off`: the gateway does not read them.
 */
export type MirrorMode = 'require' | 'derive' | 'off';

export type Mirrored =
  | { readonly kind: 'mirrored'; readonly added: readonly string[] }
  | { readonly kind: 'mismatch'; readonly detail: string };

/** A header, and the text that the body has for it. */
interface Mirror {
  /** As the specification spells it. */
  readonly header: string;
  /** Undefined: the body has no value, so the header must be absent. */
  readonly text: string | undefined;
  /** Whether a request without the header is refused. */
  readonly isRequired: boolean;
  readonly encoding: 'plain' | 'sentinel' | 'number';
}

const NOTHING: Mirrored = { kind: 'mirrored', added: [] };

/** Compares the headers with the body (Streamable HTTP, server validation). `params`: the tool's, if it is known. */
export function mirror(
  head: RequestHead,
  message: McpMessage,
  params: readonly ToolParam[],
  mode: MirrorMode,
): Mirrored {
  if (mode === 'off') return NOTHING;
  const version = versionOf(head);
  if (typeof version === 'object') return version;
  const isNew = isMirrored(version ?? message.revision);
  const ofMessage = standard(message, isNew, version);
  if (params.length === 0) return compare(head, ofMessage, mode);
  const args = message.args();
  const values = params.map(({ path }) => argumentAt(args, path));
  if (values.includes(UNCLEAR))
    return mismatch(
      'an argument has the name `__proto__`, or a name that differs only in case from an argument with an Mcp-Param header',
    );
  return compare(head, [...ofMessage, ...ofParams(params, values, isNew)], mode);
}

type Mismatch = Extract<Mirrored, { kind: 'mismatch' }>;

function mismatch(detail: string): Mismatch {
  return { kind: 'mismatch', detail };
}

const VERSION = 'MCP-Protocol-Version';
const reader = new Map<string, ReturnType<typeof headerReader>>();

/**
 * The readers of the headers in the specification are made once. The headers of tools are few too, so their readers
 * stay.
 */
function readerOf(header: string): ReturnType<typeof headerReader> {
  const known = reader.get(header);
  if (known !== undefined) return known;
  const made = headerReader(header.toLowerCase());
  if (reader.size < 1024) reader.set(header, made);
  return made;
}

/** Undefined: absent. */
function valueIn(head: RequestHead, header: string): string | undefined | Mismatch {
  const { values, lenient } = readerOf(header)(head);
  if (values.length > 1 || lenient.length !== values.length || values[0] !== lenient[0])
    return mismatch(`${header} occurs twice, or in another spelling`);
  return values[0];
}

/** The revision that the client names in the header. */
export function versionOf(head: RequestHead): string | undefined | Mismatch {
  return valueIn(head, VERSION);
}

/** `version`: the one in the header, which needs no second look if it is the same. */
function standard(message: McpMessage, isNew: boolean, version: string | undefined): readonly Mirror[] {
  const { kind, method, revision, operations } = message;
  const mirrors: Mirror[] = [];
  if (revision !== undefined && revision !== version)
    mirrors.push({ header: VERSION, text: revision, isRequired: true, encoding: 'plain' });
  // Notifications and answers need no headers. But some servers also carry out a call without an id.
  const row = namedMethods.get(method);
  const name = operations[0]?.name;
  const isRequired = isNew && (kind === 'request' || row !== undefined);
  mirrors.push({ header: 'Mcp-Method', text: method === '' ? undefined : method, isRequired, encoding: 'plain' });
  const isNameRequired = isRequired && row?.isMirrored === true && name !== undefined;
  mirrors.push({ header: 'Mcp-Name', text: name, isRequired: isNameRequired, encoding: 'sentinel' });
  return mirrors;
}

function ofParams(params: readonly ToolParam[], values: readonly unknown[], isNew: boolean): readonly Mirror[] {
  return params.map(({ header }, index) => {
    const value = values[index];
    const text = isPrimitive(value) ? String(value) : undefined;
    const encoding = typeof value === 'number' ? 'number' : 'sentinel';
    return { header, text, isRequired: isNew && text !== undefined, encoding };
  });
}

function compare(head: RequestHead, mirrors: readonly Mirror[], mode: MirrorMode): Mirrored {
  const added: string[] = [];
  for (const row of mirrors) {
    const value = valueIn(head, row.header);
    if (typeof value === 'object') return value;
    if (value !== undefined) {
      if (!isSame(value, row)) return mismatch(`${row.header} does not match the body`);
    } else if (mode === 'derive' && row.text !== undefined) {
      if (!isRepeatable(row))
        return mismatch(`the gateway cannot add ${row.header}, because programs round this number differently`);
      added.push(row.header, row.encoding === 'plain' ? row.text : encodeValue(row.text));
    } else if (row.isRequired) return mismatch(`${row.header} is missing`);
  }
  return added.length === 0 ? NOTHING : { kind: 'mirrored', added };
}

function isSame(value: string, { text, encoding }: Mirror): boolean {
  if (text === undefined) return false;
  if (encoding === 'plain') return value === text;
  const decoded = decodeValue(value);
  return encoding === 'number' ? isNumber(decoded, Number(text)) : decoded === text;
}

function isRepeatable({ text, encoding }: Mirror): boolean {
  return encoding !== 'number' || Number.isSafeInteger(Number(text));
}

/** `42.0` and `42` are equal (Streamable HTTP, server validation). A larger number may differ for another reader. */
function isNumber(text: string | undefined, number: number): boolean {
  return text !== undefined && NUMBER.test(text) && Number.isSafeInteger(number) && Number(text) === number;
}

/** Some readers read a number that begins with 0 as octal. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.0+)?$/;
