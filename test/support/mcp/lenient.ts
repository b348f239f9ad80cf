import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { mirrored } from './everything/schema-tools.ts';

interface Message {
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly taskId?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: Readonly<Record<string, string>>;
  };
}

type Pairs = readonly (readonly [string, unknown])[];

/** The request as if its client had repeated the body correctly. So the server judges only the body. */
export async function withHeadersOfBody(request: Request): Promise<Request> {
  if (request.method !== 'POST') return request;
  const body = await request.text();
  const headers = new Headers(request.headers);
  for (const [name, value] of repeated(parsed(body))) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, String(value));
  }
  return new Request(request, { headers, body });
}

/** A body that is not a JSON object gets its refusal from the server. */
function parsed(body: string): Message {
  try {
    return Object(JSON.parse(body)) as Message;
  } catch {
    return {};
  }
}

/** What a request of 2026-07-28 repeats. Older requests repeat nothing. */
function repeated({ method, params = {} }: Message): Pairs {
  const version = params._meta?.[PROTOCOL_VERSION_META_KEY];
  if (version === undefined) return [];
  return [
    ['mcp-protocol-version', version],
    ['mcp-method', method],
    ['mcp-name', params.name ?? params.uri ?? params.taskId],
    ...Object.entries(mirrored).map(([name, header]): [string, unknown] => [
      `mcp-param-${header}`,
      encoded(params.arguments?.[name]),
    ]),
  ];
}

/** This form can carry every value. */
function encoded(value: unknown): string | undefined {
  return value === undefined ? undefined : `=?base64?${Buffer.from(String(value)).toString('base64')}?=`;
}
