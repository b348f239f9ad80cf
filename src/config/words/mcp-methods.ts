interface Methods {
  readonly match: { readonly methods?: readonly string[] | undefined };
  readonly mcp?: { readonly sessions: boolean } | undefined;
}

/** The methods of a route. Undefined: all. Revisions with sessions also use GET and DELETE. */
export function methodsOf({ match, mcp }: Methods): readonly string[] | undefined {
  if (match.methods !== undefined || mcp === undefined) return match.methods;
  return mcp.sessions ? ['POST', 'GET', 'DELETE'] : ['POST'];
}
