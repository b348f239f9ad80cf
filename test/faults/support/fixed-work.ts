const FORM = Array.from({ length: 10_000 }, (_, index) => `key${index}=value${index}`).join('&');
const TIMES = 4;

/**
 * Milliseconds of CPU for reading a form of 200 KiB in the plainest way, now and on this machine. About 5 on a machine
 * with nothing else to do. A shared machine can need three times as much, for this and for every other work.
 */
export function fixedWork(): number {
  const before = worked();
  for (let time = 0; time < TIMES; time++) new Map(FORM.split('&').map((pair) => pair.split('=') as [string, string]));
  return (worked() - before) / TIMES;
}

function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
