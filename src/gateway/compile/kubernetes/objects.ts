import { Document } from 'yaml';
import { printableValue } from '../../../base/printable.ts';
import type { CompileFinding, CompilePlan } from '../plan.ts';

/** An object of Kubernetes, and where it comes from. */
export interface KubernetesObject {
  readonly comments: readonly string[];
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly spec: object;
}

/** The names that the output takes for granted: the Gateway, and the Service of Gatehouse. */
export const GATEWAY = 'gatehouse';
export const SERVICE = 'gatehouse';

export interface Manifest {
  readonly command: string;
  readonly objects: readonly KubernetesObject[];
  /** More lines for the head of the file. */
  readonly notes?: readonly string[];
}

/** The objects as YAML, each behind the lines of the file that it says. The same plan always gives the same text. */
export function manifestText(plan: CompilePlan, { command, objects, notes = [] }: Manifest): string {
  const head = [...headOf(plan, command), ...notes].map((line) => `# ${printableValue(line)}\n`).join('');
  return `${head}\n${objects.map(objectText).join('---\n')}`;
}

function objectText({ comments, apiVersion, kind, name, spec }: KubernetesObject): string {
  const document = new Document({ apiVersion, kind, metadata: { name }, spec }, { aliasDuplicateObjects: false });
  const lines = comments.map((comment) => `# ${printableValue(comment)}\n`).join('');
  return `${lines}${document.toString({ lineWidth: 0 })}`;
}

function headOf({ source, routes, accepted }: CompilePlan, command: string): readonly string[] {
  const count = (judged: string) => routes.filter((route) => route.judged === judged).length;
  return [
    `Made by \`gatehouse compile ${command}\` from ${source.file}: do not edit.`,
    `source_sha256: ${source.hash}`,
    `The proxy judges ${count('here')} routes, Gatehouse ${count('asked')}; ${count('omitted')} are left out.`,
    ...accepted.map(acceptedLine),
  ];
}

function acceptedLine({ accept, at, why }: CompileFinding): string {
  return `The proxy accepts more than the file allows, because of \`--accept ${accept}\`: ${at}: ${why}`;
}

/** Names of DNS (RFC 1123) for any ids. Each id has its own name. */
export function objectNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>();
  for (const id of ids) {
    const plain = id
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, LONGEST);
    const base = `${SERVICE}-${plain === '' ? 'route' : plain}`;
    let name = base;
    for (let count = 2; used.has(name); count++) name = `${base}-${count}`;
    used.add(name);
    names.set(id, name);
  }
  return names;
}

const LONGEST = 200;
