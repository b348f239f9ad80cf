import { parsePathPattern } from '../../config/words/path-pattern.ts';

/** A piece of a path template between two slashes. */
export type TemplateSegment =
  | { readonly kind: 'literal'; readonly text: string }
  /** A parameter that is the whole segment. */
  | { readonly kind: 'whole' }
  /** Text around parameters, or a segment that no route can express. The texts at its beginning and end are known. */
  | { readonly kind: 'part'; readonly head: string; readonly tail: string };

export type Template = readonly TemplateSegment[];

/** A query or fragment after the path does not select a path. */
export function readTemplate(path: string): Template {
  const [bare = ''] = path.split(/[?#]/, 1);
  return bare.replace(/^\//, '').split('/').map(readSegment);
}

const WHOLE = /^\{[^{}]*\}$/;
const PARAMETER = /\{[^{}]*\}/;

function readSegment(piece: string): TemplateSegment {
  if (WHOLE.test(piece)) return { kind: 'whole' };
  const pattern = parsePathPattern(`/${piece}`);
  const segment = pattern.kind === 'pattern' ? pattern.segments[0] : undefined;
  return segment?.kind === 'literal' ? { kind: 'literal', text: segment.decoded } : readPart(piece);
}

/** A partial segment with an encoded character counts as any text, because the character has other spellings. */
function readPart(piece: string): TemplateSegment {
  const fixed = piece.includes('%') || !PARAMETER.test(piece) ? [''] : piece.split(PARAMETER);
  return { kind: 'part', head: fixed[0] ?? '', tail: fixed.at(-1) ?? '' };
}

/** True if a route can express the template exactly. */
export function isExact(template: Template): boolean {
  return template.every(({ kind }) => kind !== 'part');
}

/** True if the second template is narrower everywhere, so that it gets all paths that both match. */
export function isWider(template: Template, other: Template): boolean {
  return template.length === other.length && template.every((segment, index) => isWiderSegment(segment, other[index]));
}

function isWiderSegment(segment: TemplateSegment, other: TemplateSegment | undefined): boolean {
  if (segment.kind === 'whole') return true;
  return other?.kind === 'literal' && (segment.kind === 'part' || segment.text === other.text);
}

/** True if one path may match both. */
export function mayMeet(template: Template, other: Template): boolean {
  return template.length === other.length && template.every((segment, index) => mayMeetSegment(segment, other[index]));
}

function mayMeetSegment(one: TemplateSegment, other: TemplateSegment | undefined): boolean {
  if (other === undefined) return false;
  if (one.kind === 'literal') return other.kind === 'literal' ? one.text === other.text : mayTake(other, one.text);
  return other.kind === 'literal' ? mayTake(one, other.text) : true;
}

/** A parameter is never empty. */
function mayTake(segment: Exclude<TemplateSegment, { kind: 'literal' }>, text: string): boolean {
  if (segment.kind === 'whole') return text !== '';
  return text.startsWith(segment.head) && text.endsWith(segment.tail);
}
