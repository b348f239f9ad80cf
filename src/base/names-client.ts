import { hopAddress } from './forwarded-for.ts';

/**
 * Header field in which a proxy names the client → how to read the last proxy's entry. Via names no client, so it proves
 * nothing.
 */
const TELLING: ReadonlyMap<string, (element: string) => string | undefined> = new Map([
  ['x-forwarded-for', (element: string) => element.trim()],
  ['forwarded', (element: string) => /\bfor\s*=\s*"?([^",;\s]+)/i.exec(element)?.[1]],
]);

/** True if one of these fields exists. `headers`: in Node.js's form. */
export function mayNameClient(headers: NodeJS.Dict<string | string[]>): boolean {
  for (const name of TELLING.keys()) if (headers[name] !== undefined) return true;
  return false;
}

/** True if a field of a header section names the client of a proxy by its address. `fields`: names and values in turn. */
export function namesClients(fields: readonly string[]): boolean {
  return fields.some((name, index) => index % 2 === 0 && namesClient(name, fields[index + 1] ?? ''));
}

function namesClient(name: string, value: string): boolean {
  const told = TELLING.get(name.toLowerCase())?.(value.slice(value.lastIndexOf(',') + 1));
  return told !== undefined && hopAddress(told) !== undefined;
}
