/** What carries HTTP/1.1 to an upstream, and what its block says to have it. */
export const upstreamEngines: readonly { readonly name: string; readonly block: object }[] = [
  { name: 'undici', block: { engine: 'undici' } },
  { name: 'own', block: {} },
];
