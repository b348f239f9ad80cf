// What our sources take from undici, for the bundle: its own index loads a browser's fetch, WebSockets, caches and mocks
// too, for three MiB of every process. esbuild says so when a source wants a name that is not here.
import Api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Client from 'undici/lib/dispatcher/client.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import global from 'undici/lib/global.js';

Object.assign(Dispatcher.prototype, Api);

export { Agent, buildConnector, Client, errors, Pool };

/** As undici's index has it, of the forms in which we call it: a URL, and a dispatcher or none. */
export function request(url, options = {}) {
  const { origin, pathname, search } = new URL(url);
  const { dispatcher = global.getGlobalDispatcher(), method = options.body ? 'PUT' : 'GET' } = options;
  return Api.request.call(dispatcher, { ...options, origin, path: `${pathname}${search}`, method });
}
