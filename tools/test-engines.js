// `npm run test:engines [-- FILE …]`: the tests of the gateway with `engine: undici` wherever a test does not say which;
// `npm test` has the default. GATEHOUSE_ENGINE names another one; test/support/chosen-engine.ts reads it.
import { gatewayTests } from './gateway-tests.ts';

process.exitCode = gatewayTests('GATEHOUSE_ENGINE', 'undici');
