// `node --import event-loop-probe.mjs`: GET at PROBE_PORT returns how late the timers of this process were since the
// last GET.
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const milliseconds = (percentile) => delay.percentile(percentile) / 1e6;

if (process.env.PROBE_PORT !== undefined)
  createServer((_request, response) => {
    const measured = { p50: milliseconds(50), p99: milliseconds(99), p999: milliseconds(99.9), most: delay.max / 1e6 };
    response.end(JSON.stringify(measured));
    delay.reset();
  }).listen(Number(process.env.PROBE_PORT), '127.0.0.1');
