import type { Test } from 'tap';

/** Sets a variable of this process until the test ends. */
export function setVariable(t: Test, name: string, value: string): void {
  const before = process.env[name];
  t.teardown(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before;
  });
  process.env[name] = value;
}

/**
 * Variables by which Node.js decides about colors (`tty.WriteStream.getColorDepth`). `CI` alone turns colors off, even in a
 * terminal.
 */
const ABOUT_COLORS = [
  'NO_COLOR',
  'FORCE_COLOR',
  'NODE_DISABLE_COLORS',
  'CI',
  'COLORTERM',
  'TMUX',
  'TF_BUILD',
  'TEAMCITY_VERSION',
];

/** The environment of a program that a test starts: colors depend on the program and the test, and not on this shell. */
export function programEnvironment(variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !ABOUT_COLORS.includes(name));
  return { ...Object.fromEntries(others), ...variables };
}

/**
 * The environment of a program that must need nothing but PATH. With the cache that tools/tap.ts names, Node.js also
 * finds the program compiled.
 */
export function bareEnvironment(variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...variables };
}
