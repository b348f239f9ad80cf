// Loaded before tap: it finds whose error an error is by domain.ts.
import { registerHooks } from 'node:module';

const domain = new URL('domain.ts', import.meta.url).href;

registerHooks({
  resolve: (name, context, next) =>
    name === 'async-hook-domain'
      ? { url: domain, format: 'module-typescript', shortCircuit: true }
      : next(name, context),
});
