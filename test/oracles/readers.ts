import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programAt } from '../support/front-proxy.ts';
import { built } from './built.ts';
import type { Command } from './reader-process.ts';
import { octets, type Served } from './served.ts';

/** A server that reads a request-target in its own way, as an upstream may. */
export interface Reader {
  readonly name: string;
  /** The variable that it reports: PATH_INFO, `$uri`, … */
  readonly says: string;
  /** Required programs; if one is missing the reader is skipped. */
  readonly needs: readonly string[];
  readonly command: Command;
  /** If the reported value is still encoded. */
  readonly decode?: (served: Served) => Served;
  /** Reads `%2F` as part of a name, or refuses it: `encoded_slashes: keep` is for such upstreams (docs/errors.md). */
  readonly keepsEncodedSlashes: boolean;
  /** Reads `;` as part of a name: `path_parameters: keep` opens nothing before it. */
  readonly keepsParameters: boolean;
}

const sources = fileURLToPath(new URL('./readers/', import.meta.url));
const source = (name: string) => join(sources, name);

export const readers: readonly Reader[] = [
  {
    name: 'wsgi',
    says: 'PATH_INFO',
    needs: ['python3'],
    command: (port) => ['python3', source('wsgi.py'), String(port)],
    keepsEncodedSlashes: false,
    keepsParameters: true,
  },
  {
    name: 'go',
    says: 'r.URL.Path',
    needs: ['go'],
    command: (port) => [join(goReader(), 'reader'), String(port)],
    keepsEncodedSlashes: false,
    keepsParameters: true,
  },
  {
    name: 'node',
    says: 'new URL(decodeURIComponent(path)).pathname',
    needs: [],
    command: (port) => [process.execPath, source('url.mjs'), String(port)],
    decode: (served) => ({ ...served, path: octets(served.path) }),
    keepsEncodedSlashes: false,
    keepsParameters: true,
  },
  nginxReader('nginx', 'merge_slashes on'),
  nginxReader('nginx-slashes', 'merge_slashes off'),
  {
    name: 'apache',
    says: 'r->uri',
    needs: ['apache2'],
    command: apache,
    // Its default, AllowEncodedSlashes Off, answers 404.
    keepsEncodedSlashes: true,
    keepsParameters: true,
  },
  {
    name: 'tomcat',
    says: 'servletPath + pathInfo',
    needs: ['javac', 'java', 'mvn'],
    command: (port, folder) => [
      'java',
      '-cp',
      `${join(tomcatReader(), '*')}:${tomcatReader()}`,
      'Reader',
      String(port),
      folder,
    ],
    // Its default, encodedSolidusHandling=reject, answers 400.
    keepsEncodedSlashes: true,
    keepsParameters: false,
  },
];

/** False, or the reason why a test of this reader is skipped. */
export function absent({ needs }: Reader): false | string {
  const missing = needs.find((name) => programAt(name) === undefined);
  return missing !== undefined && `${missing} not present`;
}

/** The same for a test that needs all of them. */
export function anyAbsent(): false | string {
  return readers.map(absent).find((reason) => reason !== false) ?? false;
}

function goReader(): string {
  const file = source('servemux.go');
  return built({ source: file, commands: (folder) => [['go', 'build', '-o', join(folder, 'reader'), file]] });
}

const jars = ['org.apache.tomcat.embed:tomcat-embed-core:10.1.34', 'org.apache.tomcat:tomcat-annotations-api:10.1.34'];

function tomcatReader(): string {
  const file = source('Reader.java');
  return built({
    source: file,
    commands: (folder) => [
      ...jars.map(
        (jar) => ['mvn', '-q', '-B', 'dependency:copy', `-Dartifact=${jar}`, `-DoutputDirectory=${folder}`] as const,
      ),
      ['javac', '-cp', join(folder, '*'), '-d', folder, file],
    ],
  });
}

function nginxReader(name: string, setting: string): Reader {
  const command: Command = (port, folder) => {
    const file = join(folder, 'nginx.conf');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    // It would drop the rights of root, and the folder belongs only to root.
    const user = process.getuid?.() === 0 ? 'user root; ' : '';
    const text = `${user}daemon off; pid ${folder}/pid; error_log stderr crit; worker_processes 1;
events { }
http {
  access_log off; default_type text/plain; ${temporary.join(' ')}
  keepalive_requests 100000000; keepalive_timeout 600s; ${setting};
  server {
    listen 127.0.0.1:${port};
    location / { return 200 "$host\\n$http_x_env\\n$arg_op\\n$uri"; }
  }
}`;
    writeFileSync(file, text);
    return [programAt('nginx') ?? 'nginx', '-c', file, '-e', 'stderr'];
  };
  return { name, says: '$uri', needs: ['nginx'], command, keepsEncodedSlashes: false, keepsParameters: true };
}

/** Debian's path, and the path of httpd built from source. */
const moduleFolders = ['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules'];

function apache(port: number, folder: string): readonly [string, ...string[]] {
  const modules = moduleFolders.find((each) => existsSync(each)) ?? moduleFolders[0];
  const load = (name: string) => `LoadModule ${name}_module ${modules}/mod_${name}.so`;
  const documents = join(folder, 'documents');
  mkdirSync(documents);
  writeFileSync(join(folder, 'reader.lua'), readFileSync(source('apache.lua')));
  const lines = [
    `ServerRoot ${folder}`,
    `PidFile ${folder}/pid`,
    `Listen 127.0.0.1:${port}`,
    'ServerName localhost',
    'LogLevel emerg',
    `ErrorLog ${folder}/error`,
    load('mpm_event'),
    load('authz_core'),
    load('lua'),
    'StartServers 1',
    'ServerLimit 1',
    'ThreadsPerChild 16',
    'MaxRequestWorkers 16',
    `DocumentRoot ${documents}`,
    'MaxKeepAliveRequests 0',
    'KeepAliveTimeout 600',
    `LuaMapHandler ".*" ${folder}/reader.lua handle`,
    'LuaScope thread',
  ];
  const file = join(folder, 'httpd.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return [programAt('apache2') ?? 'apache2', '-f', file, '-DFOREGROUND'];
}
