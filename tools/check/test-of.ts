import type { Test } from 'tap';

const tests = new Map<string, Test>();

/** The `t` of a test file that shares its process. `url`: of the file. */
export function testOf(url: string): Test | undefined {
  return tests.get(url);
}

export function giveTest(url: string, test: Test): void {
  tests.set(url, test);
}
