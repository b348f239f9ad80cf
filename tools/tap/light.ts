// Loaded before tap. tap then uses domain.ts to find the test that an error belongs to, and a test file gets its limits
// from patience.ts.
import { registerHooks } from 'node:module';

const instead: Readonly<Record<string, string>> = {
  'async-hook-domain': new URL('domain.ts', import.meta.url).href,
  tap: new URL('patient-tap.ts', import.meta.url).href,
};

registerHooks({
  resolve(name, context, next) {
    const url = instead[name];
    // What stands in for tap imports tap.
    if (url === undefined || url === context.parentURL) return next(name, context);
    return { url, format: 'module-typescript', shortCircuit: true };
  },
});
