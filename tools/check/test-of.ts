import type { Test } from 'tap';

const tests = new Map<string, Test>();

/** What a test file that shares its process has as its `t`. `url`: of the file. */
export function testOf(url: string): Test | undefined {
  return tests.get(url);
}

export function giveTest(url: string, test: Test): void {
  tests.set(url, test);
}
