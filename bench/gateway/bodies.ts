import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../children.ts';
import { type Bar, cpuRatio, loadColumns, type Part, type PartBench } from './part.ts';
import { beside, measured, nginx, type Place, UPSTREAM } from './place.ts';
import { programs } from './programs.ts';
import { same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

interface Size {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** More connections with the largest body would only fill the buffers of the machine. */
  readonly connections: number;
}

const LARGEST = '1 MiB';
const sizes: readonly Size[] = [
  { name: '1 KiB', size: 1024, connections: 32 },
  { name: '64 KiB', size: 64 * 1024, connections: 32 },
  { name: LARGEST, size: 1024 * 1024, connections: 8 },
];
const directions = ['up', 'down'] as const;
type Direction = (typeof directions)[number];

const NGINX = 'nginx proxy_pass';
const STREAMING = 'nginx, streaming';
const OURS = 'Gatehouse, JWT cached';

export const bodies: Part = {
  name: 'bodies',
  about:
    'The body is in the request (up: POST with a short answer) or in the answer (down: GET). nginx proxy_pass uses the fixed file, which first writes large bodies to files. The rows called streaming use no files. floor.mjs is not measured: it hangs after clients disconnect in the middle of a body.',
  columns: loadColumns,
  beside: [
    { title: '÷ nginx', to: (name) => name.replace(/^[^:]+/, NGINX) },
    { title: '÷ nginx, streaming', to: (name) => name.replace(/^[^:]+/, STREAMING) },
  ],
  bars: () => directions.map(bar),
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench), upstream),
};

function nameOf(who: string, size: string, direction: Direction): string {
  return `${who}: ${size} ${direction}`;
}

function bar(direction: Direction): Bar {
  const value = cpuRatio(nameOf(OURS, LARGEST, direction), nameOf(NGINX, LARGEST, direction));
  return { title: `${LARGEST} ${direction} ÷ nginx proxy_pass`, value, bar: 2.0, goal: 1.3 };
}

async function contestants({ place, start }: Stage, { engine }: PartBench): Promise<Contestant[]> {
  const who = [
    { name: OURS, port: place.ports[engine], pid: await start(place.gateway(engine)) },
    { name: NGINX, port: 9001, pid: await start(programs.nginx.command(place)) },
    { name: STREAMING, port: streamingPort(place), pid: await start(streaming(place)) },
  ];
  return sizes.flatMap((size) =>
    directions.flatMap((direction) =>
      who.map(({ name, port, pid }) => ({
        name: nameOf(name, size.name, direction),
        pid,
        prepare: load(size, direction, port, place),
      })),
    ),
  );
}

function load({ size, connections }: Size, direction: Direction, port: number, { folder, mint }: Place) {
  const url = `http://127.0.0.1:${port}/es/${direction}/${direction === 'down' ? size : ''}`;
  const token = mint.ES256(1);
  const up = { method: 'POST', type: 'application/octet-stream', body: `string.rep("x", ${size})` } as const;
  return same({ url, connections, folder }, direction === 'up' ? { token, ...up } : { token });
}

function streamingPort({ morePorts: [, port = 0] }: Place): number {
  return port;
}

/** Like the fixed file, except that no body is buffered as a whole. */
function streaming(place: Place): Command {
  const { folder } = place;
  const file = 'streaming.conf';
  writeFileSync(join(folder, file), streamingConf(folder, streamingPort(place)));
  return measured(nginx(folder, file, [streamingPort(place)]));
}

const streamingConf = (folder: string, port: number) => `
worker_processes 1; pid ${folder}/streaming.pid; error_log ${folder}/streaming.err;
events { worker_connections 2048; }
http {
  access_log off; keepalive_requests 1000000000;
  upstream be { server 127.0.0.1:${UPSTREAM}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://be;
      proxy_request_buffering off; proxy_max_temp_file_size 0;
    }
  }
}
`;

/** Replaces the fixed upstream, which never reads a body. This one reads the whole body before it answers. */
function upstream({ folder, morePorts: [inner = 0] }: Place): Command {
  mkdirSync(join(folder, 'down'));
  for (const { size } of sizes) writeFileSync(join(folder, 'down', String(size)), Buffer.alloc(size, 'x'));
  const file = 'upstream-bodies.conf';
  writeFileSync(join(folder, file), conf(folder, inner));
  return beside(nginx(folder, file, [UPSTREAM, inner]));
}

const conf = (folder: string, inner: number) => `
worker_processes 1; pid ${folder}/up.pid; error_log ${folder}/up.err;
events { worker_connections 2048; }
http {
  access_log off; keepalive_requests 1000000000; sendfile on; open_file_cache max=10; default_type application/octet-stream;
  upstream inner { server 127.0.0.1:${inner}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${UPSTREAM};
    client_max_body_size 2m; client_body_buffer_size 2m;
    location ~ ^/es/down/(?<size>[0-9]+)$ { root ${folder}; try_files /down/$size =404; }
    location /es/up/ {
      proxy_http_version 1.1; proxy_method GET; proxy_pass_request_body off;
      proxy_set_header Connection ""; proxy_set_header Content-Length ""; proxy_pass http://inner;
    }
  }
  server { listen 127.0.0.1:${inner}; location / { default_type application/json; return 200 '{"id":1}'; } }
}
`;
