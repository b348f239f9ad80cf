import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import {
  type Asset,
  assetHeaders,
  loginHeaders,
  pageHeaders,
  type Site,
  textsFor,
} from '../../../src/authorization/pages/pages.ts';
import { samples, site } from './samples.ts';

export interface Posted {
  readonly path: string;
  readonly origin: string | undefined;
  readonly fields: readonly (readonly [string, string])[];
}

export interface PageServer {
  readonly origin: string;
  /** Forms that arrived, in order. */
  readonly posted: readonly Posted[];
  at(page: string): string;
}

interface Serving {
  readonly lang?: string;
  readonly assets: readonly Asset[];
  readonly logo?: string;
  /** If set, every form gets a 303 to this address, and the pages' headers name it. */
  readonly redirectUri?: string;
}

/** Every sample page over a real socket with the real headers and assets. Submitted forms are recorded. */
export async function servePages(t: Test, { lang, assets, logo, redirectUri }: Serving): Promise<PageServer> {
  const posted: Posted[] = [];
  const shown: Site = {
    ...site,
    stylesheet: assets[0]?.path ?? '',
    texts: textsFor(lang === undefined ? [] : [lang]),
    ...(logo !== undefined && { logo }),
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const asset = assets.find((one) => one.path === path);
    const name = path.slice('/page/'.length);
    const sample = samples[name];
    if (request.method === 'POST') {
      posted.push(await readForm(request));
      if (redirectUri === undefined) response.writeHead(204).end();
      else response.writeHead(303, { location: redirectUri }).end();
    } else if (asset !== undefined) {
      response.writeHead(200, { ...assetHeaders, 'content-type': asset.type }).end(asset.body);
    } else if (sample !== undefined) {
      response.writeHead(200, headersOf(name, redirectUri)).end(sample(shown));
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, posted, at: (page) => `${origin}/page/${page}` };
}

function headersOf(name: string, redirectUri: string | undefined): Readonly<Record<string, string>> {
  return name.startsWith('login') ? loginHeaders(redirectUri) : pageHeaders(redirectUri);
}

async function readForm(request: IncomingMessage): Promise<Posted> {
  const fields = [...new URLSearchParams(await text(request))];
  return { path: request.url ?? '', origin: request.headers.origin, fields };
}
