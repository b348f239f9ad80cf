/**
 * Records the source of every RegExp that runs during the call, however it was created. `test`, and the string methods
 * `match`, `matchAll`, `search`, `replace` and `split`, all call `exec` (ECMA-262 §22.2.7.1), which the language looks
 * up at each call.
 */
export function executedPatterns(run: () => void): ReadonlySet<string> {
  const sources = new Set<string>();
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    sources.add(this.source);
    return exec.call(this, text);
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return sources;
}
