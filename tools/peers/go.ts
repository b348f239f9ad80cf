// Peers in Go. Go itself checks each module against go.sum, or against the public checksum database.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

const options = ['-p', '2', '-ldflags', '-s -w'];

/** A command of a module that needs no `replace`. */
export function installGo(folder: string, command: string): void {
  go(folder, ['install', ...options, command], { GOBIN: folder });
}

/** Our own program around a library, with its versions in go.mod and go.sum. */
export function buildGo(folder: string, source: string): void {
  go(source, ['build', ...options, '-o', folder, '.']);
}

/**
 * Traefik without three parts that no test uses: the providers for DNS challenges of ACME, which are a hundred modules, a
 * fork of a library for passwords, and empty types for extensions, which are not in the module. `go install` refuses a
 * module with `replace`, so the build is in a copy.
 */
export function buildTraefik(folder: string, version: string): void {
  const source = join(folder, 'source');
  cpSync(downloaded(folder, `github.com/traefik/traefik/v3@v${version}`), source, { recursive: true });
  run('chmod', ['-R', 'u+w', source]);
  change(join(source, 'pkg/provider/acme/provider.go'), {
    '\t"github.com/go-acme/lego/v5/providers/dns"\n': '',
    'provider, err = dns.NewDNSChallengeProviderByName(p.DNSChallenge.Provider)':
      'err = errors.New("this build has no providers for DNS challenges")',
  });
  change(join(source, 'pkg/middlewares/auth/basic_auth.go'), {
    'goauth.CheckSecret': 'func(string, string) bool { return false }',
  });
  change(join(source, 'pkg/middlewares/auth/digest_auth.go'), { RequireAuthStale: 'RequireAuth' });
  change(join(source, 'pkg/config/dynamic/http_config.go'), {
    '\t"github.com/traefik/traefik/dynamic/ext"\n': '',
    '\text.HTTP `yaml:",inline"`\n': '',
    '\text.Router `yaml:",inline"`\n': '',
  });
  change(join(source, 'pkg/config/dynamic/zz_generated.deepcopy.go'), {
    '\tout.HTTP = in.HTTP\n': '',
    '\tout.Router = in.Router\n': '',
  });
  change(join(source, 'go.mod'), {
    '\tgithub.com/traefik/traefik/dynamic/ext v0.0.0-00010101000000-000000000000\n': '',
    'replace github.com/traefik/traefik/dynamic/ext => ./pkg/config/dynamic/ext\n': '',
    'github.com/containous/go-http-auth v0.4.1-0.20260804094822-b975dcaa8c48': 'github.com/abbot/go-http-auth v0.4.0',
  });
  appendFileSync(
    join(source, 'go.sum'),
    [
      'github.com/abbot/go-http-auth v0.4.0 h1:QjmvZ5gSC7jm3Zg54DqWE/T5m1t2AfDu6QlXJT0EVT0=',
      'github.com/abbot/go-http-auth v0.4.0/go.mod h1:Cz6ARTIzApMJDzh5bRMSUou6UMSp0IEXg9km/ci7TJM=',
      '',
    ].join('\n'),
  );
  go(source, ['build', ...options, '-o', join(folder, 'traefik'), './cmd/traefik']);
  rmSync(source, { recursive: true });
}

/** Each text must be in the file. */
function change(file: string, changes: Readonly<Record<string, string>>): void {
  let text = readFileSync(file, 'utf8');
  for (const [before, after] of Object.entries(changes)) {
    if (!text.includes(before)) throw new Error(`${file} does not say ${before}`);
    text = text.replace(before, () => after);
  }
  writeFileSync(file, text);
}

function downloaded(cwd: string, module: string): string {
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', module], { cwd, encoding: 'utf8' });
  const { Dir: folder, Error: error } = JSON.parse(stdout);
  if (folder === undefined) throw new Error(`${module}: ${error}`);
  return folder;
}

/** In a separate folder, so that Go reads no other go.mod. */
function go(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  run('go', args, { cwd, env: { ...process.env, CGO_ENABLED: '0', ...env } });
}
