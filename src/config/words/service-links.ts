type Env = Readonly<Record<string, string | undefined>>;

/** A Kubernetes Service. Each pod of its namespace has its address in environment variables. */
export interface ServiceLink {
  /** The prefix of its variables. */
  readonly prefix: string;
  readonly service: string;
}

const HOST = '_SERVICE_HOST';

/** The endings that Kubernetes adds to the prefix, as Docker did for its links. */
const ENDINGS =
  /^_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

/** Every Service has variables for host, port and URL. A setting with such an ending has no others beside it. */
export function serviceLinks(env: Env, begins: string): readonly ServiceLink[] {
  const names = Object.keys(env).filter((name) => name.startsWith(begins) && name.endsWith(HOST));
  return names
    .map((name) => name.slice(0, -HOST.length))
    .filter((prefix) => isPort(env[`${prefix}_SERVICE_PORT`]) && isUrl(env[`${prefix}_PORT`]))
    .map((prefix) => ({ prefix, service: prefix.toLowerCase().replaceAll('_', '-') }));
}

export function isOfService(name: string, { prefix }: ServiceLink): boolean {
  return name.startsWith(prefix) && ENDINGS.test(name.slice(prefix.length));
}

function isPort(value: string | undefined): boolean {
  return value !== undefined && /^\d{1,5}$/.test(value);
}

function isUrl(value: string | undefined): boolean {
  return value !== undefined && /^(?:tcp|udp|sctp):\/\//.test(value);
}
