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
