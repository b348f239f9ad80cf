import type { Test } from 'tap';
import { buildPasswords } from '../../../src/base/passwords.ts';
import { gateway, type TestGateway } from '../../support/gateway.ts';
import { http2Listen } from '../../support/http2-client.ts';
import { jwt } from '../../support/tokens.ts';
import { digestLines, userFile } from '../../support/user-files.ts';
import {
  type Answering,
  type Recorded,
  type RecordingUpstream,
  recordingUpstream,
} from '../engines/recording-upstream.ts';
import { answerOf, type Row } from './row.ts';
import { fileOf, type Rules, type UserFiles } from './rules.ts';

/** The upstream, and a gateway before it for each of the rules. */
export interface Stage {
  readonly upstream: RecordingUpstream;
  /** Signed with the secret in the file. */
  readonly token: string;
  gateway(rules: Rules): Promise<TestGateway>;
  /** Like `gateway`, with an HTTP/2 listener. */
  gatewayHttp2(rules: Rules): Promise<TestGateway>;
}

const OK = answerOf('200 OK', ['Content-Type: text/plain', 'Content-Length: 2'], 'ok');
const SWITCHED = answerOf('101 Switching Protocols', ['Connection: Upgrade', 'Upgrade: websocket']);

/** Answers each row as the row says. A WebSocket opens and echoes. */
function answering(rows: ReadonlyMap<string, Row>): Answering {
  return (request: Recorded, socket) => {
    const isTunnel = request.all('upgrade').includes('websocket');
    const answer = isTunnel ? SWITCHED : (rows.get(request.all('x-case').join())?.answer ?? OK);
    const told = request.line.startsWith('HEAD ') ? answer.slice(0, answer.indexOf('\r\n\r\n') + 4) : answer;
    socket.write(Buffer.from(told, 'latin1'));
    return isTunnel ? 'tunnel' : 'http';
  };
}

export async function stage(t: Test, engine: 'own' | 'undici', rows: readonly Row[] = []): Promise<Stage> {
  const upstream = await recordingUpstream(t, answering(new Map(rows.map((row) => [caseOf(row.name), row]))));
  const users = await userFiles(t);
  const open = (rules: Rules, more: object = {}) =>
    gateway(t, { ...fileOf(rules, users, { url: upstream.url, engine }), ...more });
  const opened = new Map<Rules, Promise<TestGateway>>();
  return {
    upstream,
    token: await jwt({ scope: 'read' }, { alg: 'HS256' }),
    gateway(rules) {
      const running = opened.get(rules) ?? open(rules);
      opened.set(rules, running);
      return running;
    },
    gatewayHttp2: (rules) => open(rules, http2Listen()),
  };
}

/** The field value that names the row. */
export const caseOf = (name: string): string => encodeURIComponent(name);

async function userFiles(t: Test): Promise<UserFiles> {
  const passwords = buildPasswords({ cost: { memory: 64, passes: 1, lanes: 1 } });
  const hashed = await passwords.hash('wonderland');
  if (hashed.kind !== 'hashed') throw new Error('no hash');
  return {
    basic: userFile(t, `alice:${hashed.phc}\n`),
    digest: userFile(t, digestLines('alice', 'r', 'wonderland')),
  };
}
