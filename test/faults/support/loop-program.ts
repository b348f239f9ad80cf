import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// For `node --import`: on SIGUSR2 a line with the longest delay of the event loop since the line before, and the most that
// its thread worked in one turn of it, both in milliseconds. What other processes do makes the first longer, not the other.
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
