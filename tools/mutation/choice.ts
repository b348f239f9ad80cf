import { globSync } from 'node:fs';
import { type Room, rooms } from './rooms.ts';

/** A room to mutate. `isPart`: only some of its files, so the figures of the room do not change. */
export interface Chosen {
  readonly name: string;
  readonly room: Room;
  readonly isPart: boolean;
  /** Only changes that no test noticed the last time. */
  readonly isAgain: boolean;
}

const AGAIN = '--again';

/**
 * What the arguments choose: names of rooms, and ends of filenames of these rooms, such as `framing.ts`. Without names,
 * all rooms. Without files, all files. A string names what does not exist.
 */
export function choose(given: readonly string[]): readonly Chosen[] | string {
  const isAgain = given.includes(AGAIN);
  const wanted = given.filter((each) => each.endsWith('.ts'));
  const named = given.filter((each) => !each.endsWith('.ts') && each !== AGAIN);
  if (isAgain && wanted.length > 0) return `${AGAIN} is for whole rooms`;
  const unknown = named.filter((name) => !Object.hasOwn(rooms, name));
  if (unknown.length > 0) return `no such room: ${unknown.join(', ')}; there are ${Object.keys(rooms).join(', ')}`;
  const chosen = Object.entries(rooms).filter(([name]) => named.length === 0 || named.includes(name));
  if (wanted.length === 0) return chosen.map(([name, room]) => ({ name, room, isPart: false, isAgain }));
  return partsOf(chosen, wanted);
}

function partsOf(chosen: readonly (readonly [name: string, room: Room])[], wanted: readonly string[]) {
  const parts = chosen.map(([name, room]) => ({ name, room: { ...room, mutate: filesOf(room) } }));
  const lost = wanted.find((end) => !parts.some(({ room }) => room.mutate.some((file) => endsWith(file, end))));
  if (lost !== undefined) return `no file of ${chosen.map(([name]) => name).join(', ')} ends with ${lost}`;
  return parts
    .map(({ name, room }) => ({
      name,
      room: { ...room, mutate: only(room.mutate, wanted) },
      isPart: true,
      isAgain: false,
    }))
    .filter(({ room }) => room.mutate.length > 0);
}

function filesOf({ mutate }: Room): readonly string[] {
  return mutate.flatMap((pattern) => globSync(pattern)).sort();
}

function only(files: readonly string[], wanted: readonly string[]): readonly string[] {
  return files.filter((file) => wanted.some((end) => endsWith(file, end)));
}

/** Whole folder names and filenames only: `basic/index.ts` does not match `nonbasic/index.ts`. */
function endsWith(file: string, end: string): boolean {
  return `/${file}`.endsWith(`/${end}`);
}
