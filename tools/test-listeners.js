// `npm run test:listeners [-- FILE …]`: the gateway's tests with `listener: node` wherever a test sets no listener.
// `npm test` uses the default. GATEHOUSE_LISTENER names another listener; test/support/chosen-listener.ts reads it.
import { gatewayTests } from './gateway-tests.ts';

process.exitCode = gatewayTests('GATEHOUSE_LISTENER', 'node');
