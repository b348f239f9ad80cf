import { runWorker } from './worker.ts';

// A terminal sends its signals to every process of the group. The primary decides what happens.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const send = process.send?.bind(process);
if (send === undefined) throw new Error('only a primary can start a worker');
runWorker(Object.assign(process, { send }));
