// `npm run test:listeners [-- FILE …]`: the tests of the gateway with `listener: auto` wherever a test does not say which;
// `npm test` has the default. GATEHOUSE_LISTENER names another one; test/support/chosen-listener.ts reads it.
import { gatewayTests } from './gateway-tests.ts';

process.exitCode = gatewayTests('GATEHOUSE_LISTENER', 'auto');
