// The state that all test files of one process share. A file that leaves it changed breaks a later file, which then
// gets the blame.
import timers from 'node:timers';
import timerPromises from 'node:timers/promises';

type State = ReadonlyMap<string, unknown>;

/** Clocks, globals, environment and folder of this process, each with a readable name. */
export function processState(): State {
  return new Map<string, unknown>([
    ...members('globalThis', globalThis),
    ...members('node:timers', timers),
    ...members('node:timers/promises', timerPromises),
    ...members('Error', Error),
    ...Object.entries(process.env).map(([name, value]): [string, unknown] => [`process.env.${name}`, value]),
    ['process.cwd()', process.cwd()],
  ]);
}

/** The names of what differs. An added global does not count, because a library may keep something there. */
export function changesSince(before: State): readonly string[] {
  const after = processState();
  const gone = [...before].filter(([name, value]) => !Object.is(after.get(name), value)).map(([name]) => name);
  const added = [...after.keys()].filter((name) => name.startsWith('process.env.') && !before.has(name));
  return [...gone, ...added];
}

/** Getters are compared but not called: some globals load when they are first read. */
function members(name: string, object: object): [string, unknown][] {
  return Reflect.ownKeys(object).map((key) => {
    const { value, get } = Object.getOwnPropertyDescriptor(object, key) ?? {};
    return [`${name}.${String(key)}`, value ?? get];
  });
}
