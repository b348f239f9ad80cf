/** A Service of Kubernetes, as an upstream URL names it. */
export interface ServiceRef {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
}

/** NAME.NAMESPACE, with or without the domain of the cluster. Labels by RFC 1123. */
const SERVICE =
  /^([a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)\.([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.svc(?:\.[a-z0-9.-]+)?)?$/;
const HTTP_PORT = 80;

/** Undefined: the URL names no Service that a route can refer to. */
export function serviceOf(text: string): ServiceRef | undefined {
  const { protocol, hostname, port, pathname } = new URL(text);
  const [, name, namespace] = SERVICE.exec(hostname) ?? [];
  if (protocol !== 'http:' || pathname !== '/' || name === undefined || namespace === undefined) return undefined;
  return { name, namespace, port: port === '' ? HTTP_PORT : Number(port) };
}
