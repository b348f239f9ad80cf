import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// For `node --import`: on SIGUSR2 it prints the longest delay of the event loop since the previous line, and the
// longest time that its thread worked in one turn, both in milliseconds. Other processes increase only the first.
if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let most = 0;
  let before = worked();
  setInterval(() => {
    const now = worked();
    most = Math.max(most, now - before);
    before = now;
  }, 1).unref();
  process.on('SIGUSR2', () => {
    process.stderr.write(`event loop late by ${delay.max / 1e6}, at work for ${most}\n`);
    delay.reset();
    most = 0;
  });
}

function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
