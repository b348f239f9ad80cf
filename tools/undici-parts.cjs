// What our sources take from undici, for the bundle: its own index loads a browser's fetch, WebSockets, caches and mocks
// too, for three MiB of every process. Each part is loaded when it is first used, so that who asks nobody has none of them.
// test/deploy/bundle.test.ts says so when a source wants a name that is not here.
module.exports = {
  get Agent() {
    return require('undici/lib/dispatcher/agent.js');
  },
  get Client() {
    return require('undici/lib/dispatcher/client.js');
  },
  get Pool() {
    return require('undici/lib/dispatcher/pool.js');
  },
  get buildConnector() {
    return require('undici/lib/core/connect.js');
  },
  get errors() {
    return require('undici/lib/core/errors.js');
  },
  request,
};

/** As undici's index has it, of the forms in which we call it: a URL, and a dispatcher or none. */
function request(url, options = {}) {
  const api = require('undici/lib/api/api-request.js');
  const { origin, pathname, search } = new URL(url);
  const { dispatcher = globalDispatcher(), method = options.body ? 'PUT' : 'GET' } = options;
  return api.call(dispatcher, { ...options, origin, path: `${pathname}${search}`, method });
}

function globalDispatcher() {
  return require('undici/lib/global.js').getGlobalDispatcher();
}
