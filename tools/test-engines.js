// `npm run test:engines [-- FILE …]`: the gateway's tests with `engine: undici` wherever a test sets no engine. `npm
// test` uses the default. GATEHOUSE_ENGINE names another engine; test/support/chosen-engine.ts reads it.
import { gatewayTests } from './gateway-tests.ts';

process.exitCode = gatewayTests('GATEHOUSE_ENGINE', 'undici');
