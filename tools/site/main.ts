// `npm run docs`: builds the documentation as a static site. `npm run docs:serve`: builds and serves it.
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite, run, server } from './build-site.ts';
import { place } from './place.ts';

const help = `Usage: npm run docs -- [options]

Builds the documentation as a static site with search. Bad links end it with exit status 1.

  --base PATH   the path at which the site is served, with both slashes (default: /)
  --out DIR     the folder that gets the site; what it holds is deleted (default: ${join(place, 'out')})
  --serve       serves the site after that, on this machine only
  --port N      where (default: 5180)
  --help        prints this text

Example: npm run docs -- --base /gatehouse/ --out public`;

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(place, 'out') },
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '5180' },
    help: { type: 'boolean', default: false },
  },
});

function main(): void {
  const { base, serve, port } = values;
  if (!/^\/(?:.*\/)?$/.test(base)) throw new Error(`--base ${base}: begin and end it with a slash.`);
  const outDir = resolve(values.out);
  buildSite({ base, outDir });
  console.log(`${globSync('**/*.html', { cwd: outDir }).length} pages in ${outDir}`);
  if (serve) run(...server(Number(port)));
}

if (values.help) console.log(help);
else
  try {
    main();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
