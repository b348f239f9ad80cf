import { isIP, Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { type ConnectionBudget, ConnectionBudgetFull, countedUntilClosed } from './connection-budget.ts';
import { type EngineOptions, TrustsNobody, tlsOf } from './engine.ts';

/**
 * undici takes the name that a certificate must have from the Host of a request. That Host is the client's own by default,
 * and a client does not choose whose certificate the gateway accepts.
 */
export function connector(options: EngineOptions, open = undiciConnector(options)): buildConnector.connector {
  const { trust, serverName, connectTimeout, room } = options;
  const opened = inTime(open, connectTimeout);
  const connect = room === undefined ? opened : counted(opened, room);
  const servername = isIP(serverName) === 0 ? serverName : '';
  return (to, callback) => {
    if (trust.kind === 'nobody') callback(new TrustsNobody('the files of `tls` cannot be used'), null);
    else connect({ ...to, servername }, callback);
  };
}

function undiciConnector(options: EngineOptions): buildConnector.connector {
  return buildConnector({ ...tlsOf(options), timeout: 0, allowH2: false });
}

/** As long as the socket is there. */
function counted(connect: buildConnector.connector, room: ConnectionBudget): buildConnector.connector {
  return (to, callback) => {
    if (!room.take()) {
      process.nextTick(callback, new ConnectionBudgetFull(), null);
      return undefined;
    }
    return countedUntilClosed(room, () => connect(to, callback));
  };
}

/** undici's own clock for this ticks every half a second: what was to take 700 ms took from 500 to 1,000. */
function inTime(connect: buildConnector.connector, milliseconds: number): buildConnector.connector {
  return (to, callback) => {
    // It answers with the socket, which its types do not say.
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
