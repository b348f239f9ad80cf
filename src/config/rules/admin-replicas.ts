import type { AdminConfig, ReplicaConfig } from '../schema/admin.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding } from '../words/problem.ts';
import { parseUrl } from '../words/url-rules.ts';

type Told = Pick<Finding, 'message' | 'hint'>;

/** Other gateways whose decisions the console also shows. */
export function replicaFaults({ replicas = [] }: AdminConfig): readonly Finding[] {
  return replicas.flatMap((replica, index) => {
    const pointer = ['admin', 'replicas', index];
    const told = addressFault(replica.url);
    const half = loginFault(replica);
    return [
      ...(told === undefined ? [] : [{ pointer: [...pointer, 'url'], ...told }]),
      ...(half === undefined ? [] : [{ pointer, ...half }]),
    ];
  });
}

function addressFault(text: string): Told | undefined {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    return {
      message: 'not an origin',
      hint: 'write the `admin` address of the other gateway: `https://10.0.0.7:9901`',
    };
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return undefined;
  return { message: 'others can read http traffic between machines', hint: 'use https, with `tls` in `admin` there' };
}

function loginFault({ username, password }: ReplicaConfig): Told | undefined {
  if ((username === undefined) === (password === undefined)) return undefined;
  const missing = username === undefined ? 'username' : 'password';
  return { message: `\`${missing}\` is missing`, hint: 'write both, or neither' };
}
