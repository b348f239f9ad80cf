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

/** The environment of a program that a test starts: colors depend on the program and the test, and not on this shell. */
export function programEnvironment(variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { NO_COLOR, FORCE_COLOR, NODE_DISABLE_COLORS, ...others } = process.env;
  return { ...others, ...variables };
}
