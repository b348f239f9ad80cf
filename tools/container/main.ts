// `npm run container -- FOLDER`: builds the images of the Dockerfile into FOLDER, without an engine.
import { mkdirSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from './build.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('name the folder that the stages are built into');
mkdirSync(folder, { recursive: true });
if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
const context = fileURLToPath(new URL('../../', import.meta.url));
const images = build({ context, folder });
console.log(JSON.stringify(Object.fromEntries(images), null, 2));
