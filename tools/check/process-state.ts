// What all test files of one process share. A file that leaves it changed breaks one that comes later, which is then blamed.
import timers from 'node:timers';
import timerPromises from 'node:timers/promises';

type State = ReadonlyMap<string, unknown>;

/** Clocks, globals, environment and folder of this process, each by a name for people. */
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

/** The names of what is not as it was. A global that was only added is none: a library may keep something there. */
export function changesSince(before: State): readonly string[] {
  const after = processState();
  const gone = [...before].filter(([name, value]) => !Object.is(after.get(name), value)).map(([name]) => name);
  const added = [...after.keys()].filter((name) => name.startsWith('process.env.') && !before.has(name));
  return [...gone, ...added];
}

/** Getters are compared and not asked: some globals are loaded when they are read for the first time. */
function members(name: string, object: object): [string, unknown][] {
  return Reflect.ownKeys(object).map((key) => {
    const { value, get } = Object.getOwnPropertyDescriptor(object, key) ?? {};
    return [`${name}.${String(key)}`, value ?? get];
  });
}
