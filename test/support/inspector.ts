import { once } from 'node:events';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

type Hear = (message: Message) => void;

/** The inspector of another process of Node.js, and of its threads. */
export interface Inspector {
  /** Sessions of the threads that are alive. */
  readonly threads: readonly string[];
  call(method: string, params?: object): Promise<void>;
  callIn(thread: string, method: string): Promise<void>;
  /** What a thread says by itself. */
  hear(thread: string, told: Hear): void;
  close(): void;
}

/** `address`: as `--inspect` prints it. */
export async function openInspector(address: string): Promise<Inspector> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const threads: string[] = [];
  const waiting = new Map<string, (message: Message) => void>();
  const heard = new Map<string, Hear>();
  let last = 0;
  const settle = (session: string, message: Message) => {
    if (message.id === undefined) heard.get(session)?.(message);
    else waiting.get(`${session} ${message.id}`)?.(message);
  };
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    const { sessionId, message: inner } = message.params ?? {};
    if (message.method === 'NodeWorker.attachedToWorker') threads.push(String(sessionId));
    else if (message.method === 'NodeWorker.receivedMessageFromWorker')
      settle(String(sessionId), JSON.parse(String(inner)) as Message);
    else settle('', message);
  });
  const asked = async (session: string, id: number, send: () => void) => {
    const { promise, resolve } = Promise.withResolvers<Message>();
    waiting.set(`${session} ${id}`, resolve);
    send();
    const { error } = await promise;
    if (error !== undefined) throw new Error(JSON.stringify(error));
  };
  const call = (method: string, params: object = {}) => {
    const id = ++last;
    return asked('', id, () => socket.send(JSON.stringify({ id, method, params })));
  };
  return {
    threads,
    call,
    async callIn(thread, method) {
      const id = ++last;
      const message = JSON.stringify({ id, method });
      await asked(thread, id, () => void call('NodeWorker.sendMessageToWorker', { message, sessionId: thread }));
    },
    hear: (thread, told) => heard.set(thread, told),
    close: () => socket.close(),
  };
}
