// The parts of undici that our sources use, for the bundle. Its own index also loads a browser's fetch, WebSockets,
// caches and mocks: three MiB for every process. Each part loads on first use, so a program without calls loads none.
// test/deploy/bundle.test.ts fails if a source imports a name that is missing here.
module.exports = {
  get Agent() {
    return withMethods(require('undici/lib/dispatcher/agent.js'));
  },
  get Client() {
    return withMethods(require('undici/lib/dispatcher/client.js'));
  },
  get Pool() {
    return withMethods(require('undici/lib/dispatcher/pool.js'));
  },
  get buildConnector() {
    return require('undici/lib/core/connect.js');
  },
  get errors() {
    return require('undici/lib/core/errors.js');
  },
  request,
};

/** undici's index gives these methods to every dispatcher. Here each loads on its first use. */
const methods = {
  request: () => require('undici/lib/api/api-request.js'),
  stream: () => require('undici/lib/api/api-stream.js'),
  pipeline: () => require('undici/lib/api/api-pipeline.js'),
  upgrade: () => require('undici/lib/api/api-upgrade.js'),
  connect: () => require('undici/lib/api/api-connect.js'),
};

function withMethods(dispatcher) {
  const { prototype } = require('undici/lib/dispatcher/dispatcher.js');
  if (!('request' in prototype))
    for (const [name, get] of Object.entries(methods)) Object.defineProperty(prototype, name, { get });
  return dispatcher;
}

/** Like undici's index, for the forms in which we call it: a URL, and an optional dispatcher. */
function request(url, options = {}) {
  const api = require('undici/lib/api/api-request.js');
  const { origin, pathname, search } = new URL(url);
  const { dispatcher = globalDispatcher(), method = options.body ? 'PUT' : 'GET' } = options;
  return api.call(dispatcher, { ...options, origin, path: `${pathname}${search}`, method });
}

function globalDispatcher() {
  return require('undici/lib/global.js').getGlobalDispatcher();
}
