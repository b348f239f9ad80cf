/** The engines for HTTP/1.1 to an upstream, and the setting of each in its block. */
export const upstreamEngines: readonly { readonly name: string; readonly block: object }[] = [
  { name: 'undici', block: { engine: 'undici' } },
  { name: 'own', block: {} },
];
