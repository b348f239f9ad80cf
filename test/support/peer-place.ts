import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const place = fileURLToPath(new URL('../../node_modules/.cache/gatehouse-peers', import.meta.url));

/** For `t.test(title, { skip }, …)`: a peer that tools/peers/install.ts has not fetched. */
export function skipWithoutPeer(name: string): false | string {
  return existsSync(join(place, name, 'stamp')) ? false : `${name} is not fetched: npm run peers -- ${name}`;
}

/** The file of a peer that matches a pattern in its folder. */
export function peerFile(name: string, pattern: string): string {
  const [found] = globSync(pattern, { cwd: join(place, name) });
  if (found === undefined) throw new Error(`${name} has no ${pattern}`);
  return join(place, name, found);
}
