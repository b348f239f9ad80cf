/** What a field says about the message around it. */
export type Role = 'none' | 'host' | 'connection' | 'length' | 'foreign';

/** Fields about content in chunks, about an answer before the content, or about another protocol. */
export const FOREIGN = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'proxy-connection'];

const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['host', 'host'],
  ['connection', 'connection'],
  ['content-length', 'length'],
  ...FOREIGN.map((name) => [name, 'foreign'] as const),
]);

export interface Name {
  readonly name: string;
  readonly role: Role;
}

/**
 * The number and length of the spellings that are remembered. Clients repeat a few, so even a flood of others uses
 * limited memory.
 */
const MOST_NAMES = 1024;
const LONGEST_NAME = 64;
const names = new Map<string, Name>();

export function nameOf(written: string): Name {
  const known = names.get(written);
  if (known !== undefined) return known;
  if (written.length > LONGEST_NAME) return { name: written, role: 'none' };
  if (names.size >= MOST_NAMES) names.clear();
  // Copies the text. A slice would keep the whole section in memory, with its credentials.
  const name = Buffer.from(written, 'latin1').toString('latin1');
  const entry = { name, role: roles.get(name.toLowerCase()) ?? 'none' };
  names.set(name, entry);
  return entry;
}
