import { hopAddress } from './forwarded-for.ts';

/** By which field a proxy names the client, and the address in what the last one wrote. Via proves nothing: it names none. */
const TELLING: ReadonlyMap<string, (element: string) => string | undefined> = new Map([
  ['x-forwarded-for', (element: string) => element.trim()],
  ['forwarded', (element: string) => /\bfor\s*=\s*"?([^",;\s]+)/i.exec(element)?.[1]],
]);

/** Whether one of these fields is there at all. `headers`: as Node.js gives them. */
export function mayNameClient(headers: NodeJS.Dict<string | string[]>): boolean {
  for (const name of TELLING.keys()) if (headers[name] !== undefined) return true;
  return false;
}

/** Whether a field of a header section, names and values in turn, names the client of a proxy by its address. */
export function namesClients(fields: readonly string[]): boolean {
  return fields.some((name, index) => index % 2 === 0 && namesClient(name, fields[index + 1] ?? ''));
}

function namesClient(name: string, value: string): boolean {
  const told = TELLING.get(name.toLowerCase())?.(value.slice(value.lastIndexOf(',') + 1));
  return told !== undefined && hopAddress(told) !== undefined;
}
