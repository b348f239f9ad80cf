import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../bundle.ts';
import { imageFlags } from '../image-flags.ts';
import { insideName } from './bundle.ts';
import { run } from './run.ts';

/** What Node.js finds in its executable: the script in `folder`, its code cache, flags and files. */
export function makeBlob(folder: string): Buffer {
  const settings = {
    // Stack traces name this path, so it must not be a path of this machine.
    main: 'gatehouse.js',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: imageFlags,
    assets: assets(folder),
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
  run(process.execPath, ['--experimental-sea-config', 'config.json'], folder);
  return readFileSync(join(folder, 'blob'));
}

/** Name inside → file. */
function assets(folder: string): Readonly<Record<string, string>> {
  // A module finds its pages by their path from itself.
  const pages = ['src/demo/page', 'src/gateway/console/console-page'].flatMap((pagesIn) =>
    globSync(join(root, pagesIn, '**/*.*')).map((file) => [
      insideName(relative(dirname(join(root, pagesIn)), file)),
      file,
    ]),
  );
  return {
    [insideName('../../package.json')]: join(root, 'package.json'),
    [insideName('password-worker.js')]: join(folder, 'password-worker.js'),
    [insideName('paste-worker.js')]: join(folder, 'paste-worker.js'),
    ...Object.fromEntries(pages),
  };
}
