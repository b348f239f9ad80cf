import type { GatewayFile } from '../schema/gateway.ts';
import { healthParts, type TlsConfig } from '../schema/listener.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { type Checks, membersOf } from './checks.ts';
import type { GatewaySubject } from './subject.ts';
import { tlsFileFaults } from './tls-files.ts';

/** Rules for TLS and for the paths of probes, which come before any route. */
export const tlsChecks: Checks<GatewaySubject> = {
  'files of TLS': ({ config, around }) =>
    withTls(config).flatMap(({ pointer, tls }) => tlsFileFaults(pointer, tls, around)),
  'certificates of clients': ({ config }) => withTls(config).flatMap(({ pointer, tls }) => clientFaults(pointer, tls)),
  'HTTP/2 with clients': ({ config }) =>
    config.listen.http2 === true && config.listen.tls === undefined
      ? [
          {
            pointer: ['listen', 'http2'],
            message: 'clients choose HTTP/2 during the TLS handshake, and this listener has no TLS',
            hint: 'write `tls: { cert, key }` beside it, or leave `http2` out',
          },
        ]
      : [],
  'health passes': (subject) => passFaults(subject),
};

interface WithTls {
  readonly pointer: Pointer;
  readonly tls: TlsConfig;
}

function withTls({ listen, decision, receiver }: GatewayFile): readonly WithTls[] {
  const all = [
    { pointer: ['listen', 'tls'], tls: listen.tls },
    { pointer: ['decision', 'grpc', 'tls'], tls: decision?.grpc?.tls },
    { pointer: ['receiver', 'listen', 'tls'], tls: receiver?.listen.tls },
  ];
  return all.flatMap(({ pointer, tls }) => (tls === undefined ? [] : [{ pointer, tls }]));
}

/** `client_auth` without `client_ca`, or the reverse, would look like protection but give none. */
function clientFaults(at: Pointer, { client_auth, client_ca }: TlsConfig): readonly Finding[] {
  const pointer = [...at, client_ca === undefined ? 'client_auth' : 'client_ca'];
  if (client_auth === 'none' && client_ca !== undefined) {
    const hint = 'write `client_auth: required` or `optional`, or leave `client_ca` out';
    return [{ pointer, message: 'with `client_auth: none`, the gateway requests no certificate from clients', hint }];
  }
  if (client_auth === 'none' || client_ca !== undefined) return [];
  return [{ pointer, message: `\`${client_auth}\` needs \`client_ca\``, hint: CLIENT_CA }];
}

const CLIENT_CA = 'write `client_ca: FILE`, with the authorities that may issue certificates of clients';

const OWN = ['/livez', '/readyz', '/metrics'];

function passFaults({ config, known }: GatewaySubject): readonly Finding[] {
  if (config.health === undefined) return [];
  return membersOf('pass', healthParts(config.health).pass).flatMap(({ name, value }) => {
    const pointer = ['health', 'pass', name];
    const faults: Finding[] = [];
    if (!isPath(name) || OWN.includes(name))
      faults.push({ pointer, atKey: true, message: `\`${name}\` cannot be forwarded to an upstream`, hint: pathHint });
    if (!isPath(value.path))
      faults.push({ pointer: [...pointer, 'path'], message: `\`${value.path}\` is not a path`, hint: pathHint });
    if (!known.upstreams.includes(value.upstream))
      faults.push({ pointer: [...pointer, 'upstream'], message: `there is no upstream \`${value.upstream}\`` });
    return faults;
  });
}

const pathHint = `write a plain path without a query, and none of ${OWN.join(', ')}`;

function isPath(text: string): boolean {
  return (
    /^\/[A-Za-z0-9._~!$&'()+,;=:@/-]*$/.test(text) && !text.split('/').some((part) => part === '.' || part === '..')
  );
}
