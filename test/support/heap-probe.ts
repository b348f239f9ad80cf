import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// For `node --import`: on SIGUSR2 a line with the bytes of heap in use after a collection.
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('SIGUSR2', async () => {
  // What a handle held is freed in a turn of the event loop after the first collection.
  collect();
  await new Promise((resolve) => setTimeout(resolve, 50));
  collect();
  process.stderr.write(`heap in use ${process.memoryUsage().heapUsed}\n`);
});
