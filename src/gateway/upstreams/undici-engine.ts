import { isIP } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { type EngineOptions, type ForwardEngine, MAX_HEADER_SIZE, TrustsNobody, tlsOf } from './engine.ts';

/** HTTP/1.1. */
export function openUndici(options: EngineOptions): ForwardEngine {
  const { url, connections, keepAlive } = options;
  return new Pool(url.origin, {
    connections,
    pipelining: keepAlive ? 1 : 0,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_SIZE,
    connect: url.protocol === 'https:' ? connector(options) : { timeout: options.connectTimeout },
  });
}

/**
 * undici takes the name that a certificate must have from the Host of a request. That Host is the client's own by default,
 * and a client does not choose whose certificate the gateway accepts.
 */
function connector(options: EngineOptions): buildConnector.connector {
  const { trust, serverName, connectTimeout } = options;
  const connect = buildConnector({ ...tlsOf(options), timeout: connectTimeout, allowH2: false });
  const servername = isIP(serverName) === 0 ? serverName : '';
  return (to, callback) => {
    if (trust.kind === 'nobody') callback(new TrustsNobody('the files of `tls` cannot be used'), null);
    else connect({ ...to, servername }, callback);
  };
}
