/** Header fields that a page needs to talk to a tools server (Streamable HTTP). */
export interface BrowserFields {
  /** Fields of requests. */
  readonly sent: readonly string[];
  /** Fields of answers. */
  readonly read: readonly string[];
}

const SENT = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'];
const OF_SESSIONS = ['Mcp-Session-Id', 'Last-Event-ID'];

interface Configured {
  readonly mcp?: { readonly sessions: boolean } | undefined;
  readonly claims_to_params?: Readonly<Record<string, string>> | undefined;
}

/** What the pages of all `mcp` routes need. */
export function browserFields(routes: readonly Configured[]): BrowserFields {
  const found = routes.filter(({ mcp }) => mcp !== undefined);
  const hasSessions = found.some(({ mcp }) => mcp?.sessions === true);
  const params = found.flatMap(({ claims_to_params = {} }) => Object.keys(claims_to_params));
  return {
    sent: found.length === 0 ? [] : [...SENT, ...(hasSessions ? OF_SESSIONS : []), ...params],
    read: hasSessions ? ['Mcp-Session-Id'] : [],
  };
}
