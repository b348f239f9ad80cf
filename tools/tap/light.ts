// Loaded before tap, which then uses domain.ts to find the test that an error belongs to.
import { registerHooks } from 'node:module';

const domain = new URL('domain.ts', import.meta.url).href;

registerHooks({
  resolve: (name, context, next) =>
    name === 'async-hook-domain'
      ? { url: domain, format: 'module-typescript', shortCircuit: true }
      : next(name, context),
});
