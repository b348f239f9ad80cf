// `npm run sbom [-- FILE]`: what the package and the image contain, as CycloneDX. Default: dist/sbom.cdx.json.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A part of the bill of materials. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly unknown[];
}

/**
 * The production dependencies in package-lock.json. Throws with npm's message if npm fails. npm gets a lock file
 * without the other packages: with `--omit=dev` it also leaves out packages that both kinds need.
 */
export function billOfMaterials(): { readonly text: string; readonly components: readonly Component[] } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sbom-'));
  try {
    for (const [name, value] of Object.entries(production())) writeFileSync(join(folder, name), JSON.stringify(value));
    const text = askNpm(folder);
    return { text, components: JSON.parse(text).components };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function production(): Readonly<Record<string, object>> {
  const { devDependencies: _, scripts: __, ...manifest } = read('package.json');
  const { packages, ...lock } = read('package-lock.json');
  const kept = Object.entries<Locked>(packages).filter(([, { dev, link }]) => dev !== true && link !== true);
  const { devDependencies: ___, ...root } = packages[''];
  return {
    'package.json': manifest,
    'package-lock.json': { ...lock, packages: { ...Object.fromEntries(kept), '': root } },
  };
}

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
}

function askNpm(cwd: string): string {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: exit status ${status}\n${stderr}`);
  return stdout;
}

function read(name: string) {
  return JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
}

if (import.meta.main) {
  const file = process.argv[2] ?? 'dist/sbom.cdx.json';
  const { text, components } = billOfMaterials();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${file}: ${components.length} components`);
}
