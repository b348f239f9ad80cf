import type { AdminConfig, ReplicaConfig } from '../schema/admin.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { parseUrl } from '../words/url-rules.ts';
import type { GatewaySubject } from './subject.ts';
import { tlsFileFaults } from './tls-files.ts';

type Told = Pick<Finding, 'message' | 'hint'>;

/** Other gateways whose decisions the console also shows. */
export function replicaFaults(admin: AdminConfig, { around }: GatewaySubject): readonly Finding[] {
  const { replicas = [] } = admin;
  const each = replicas.flatMap((replica, index) => {
    const pointer = ['admin', 'replicas', index];
    return [
      ...found([...pointer, 'url'], addressFault(replica.url)),
      ...found(pointer, loginFault(replica)),
      ...found([...pointer, 'tls'], plainFault(replica), AT_KEY),
      ...tlsFileFaults([...pointer, 'tls'], replica.tls, around),
    ];
  });
  return [...found(['admin', 'replicas'], unseenFault(admin), AT_KEY), ...each];
}

const AT_KEY = { atKey: true } as const;

function found(pointer: Pointer, told: Told | undefined, place: Partial<typeof AT_KEY> = {}): readonly Finding[] {
  return told === undefined ? [] : [{ pointer, ...told, ...place }];
}

function unseenFault({ console: isOn, replicas }: AdminConfig): Told | undefined {
  if (isOn || replicas === undefined || replicas.length === 0) return undefined;
  const hint = 'write `console: true` in `admin`, or remove `replicas`';
  return { message: 'only the console shows the decisions of `replicas`, and the console is off', hint };
}

function addressFault(text: string): Told | undefined {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    return {
      message: 'not an origin',
      hint: 'write the `admin` address of the other gateway: `https://10.0.0.7:9901`',
    };
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return undefined;
  return {
    message: 'others can read http traffic between machines',
    hint: 'use https, and write `tls` in `admin` of the other gateway',
  };
}

function loginFault({ username, password }: ReplicaConfig): Told | undefined {
  if (username?.includes(':') === true)
    return {
      message: 'a username for Basic must not contain a colon (RFC 7617 §2)',
      hint: 'name a user without a colon',
    };
  if ((username === undefined) === (password === undefined)) return undefined;
  const missing = username === undefined ? 'username' : 'password';
  return { message: `\`${missing}\` is missing`, hint: 'write `username` and `password`, or neither' };
}

function plainFault({ url, tls }: ReplicaConfig): Told | undefined {
  if (tls === undefined || parseUrl(url)?.protocol !== 'http:') return undefined;
  return { message: '`tls` has no effect: `url` is an http address', hint: 'write https in `url`, or remove `tls`' };
}
