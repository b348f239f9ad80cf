// Imported before the pure tests. Opening a socket or starting a process throws, also deep within src/.
import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

function refuse(what: string) {
  return (): never => {
    throw new Error(`a test of npm run check ${what}: let it import the helper that does, then npm test runs it alone`);
  };
}

Server.prototype.listen = refuse('listens');
Socket.prototype.connect = refuse('opens a connection');
Object.assign(ChildProcess.prototype, { spawn: refuse('starts a process') });
