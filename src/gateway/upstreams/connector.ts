import { isIP, Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { type ConnectionBudget, ConnectionBudgetFull, countedUntilClosed } from './connection-budget.ts';
import { type EngineOptions, TrustsNoServer, tlsOf } from './engine.ts';

/**
 * undici takes the expected certificate name from the Host of a request. By default this is the client's Host, and a
 * client must not choose which certificate the gateway accepts.
 */
export function connector(options: EngineOptions, open = undiciConnector(options)): buildConnector.connector {
  const { trust, serverName, connectTimeout, room } = options;
  const opened = inTime(open, connectTimeout);
  const connect = room === undefined ? opened : counted(opened, room);
  const servername = isIP(serverName) === 0 ? serverName : '';
  return (to, callback) => {
    if (trust.kind === 'none') callback(new TrustsNoServer('the files of `tls` are invalid'), null);
    else connect({ ...to, servername }, callback);
  };
}

function undiciConnector(options: EngineOptions): buildConnector.connector {
  return buildConnector({ ...tlsOf(options), timeout: 0, allowH2: false });
}

/** Counts the connection while its socket is open. */
function counted(connect: buildConnector.connector, room: ConnectionBudget): buildConnector.connector {
  return (to, callback) => {
    if (!room.take()) {
      process.nextTick(callback, new ConnectionBudgetFull(), null);
      return undefined;
    }
    return countedUntilClosed(room, () => connect(to, callback));
  };
}

/** undici's own connect timer ticks every half second, so a timeout of 700 ms takes 500 to 1,000 ms. */
function inTime(connect: buildConnector.connector, milliseconds: number): buildConnector.connector {
  return (to, callback) => {
    // It returns the socket, although its types do not say so.
    const socket: unknown = connect(to, (...outcome) => {
      clearTimeout(timer);
      callback(...outcome);
    });
    const timer = setTimeout(() => {
      if (socket instanceof Socket) socket.destroy(new errors.ConnectTimeoutError('no connection in time'));
    }, milliseconds);
    return socket;
  };
}
