import { createSocket } from 'node:dgram';
import { isIP, isIPv4 } from 'node:net';
import type { Test } from 'tap';

export interface DnsServer {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** The names that were asked for, in order. */
  readonly asked: string[];
}

/** A DNS server on loopback. `addressesOf` is called for each question for an address of type A or AAAA. */
export async function dnsServer(t: Test, addressesOf: (name: string) => readonly string[]): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question, { port, address }) => {
    const name = nameIn(question);
    asked.push(name);
    socket.send(answerTo(question, addressesOf(name)), port, address);
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

const HEAD = 12;
const TYPES = { 4: 1, 6: 28 } as const;

/** RFC 1035 §3.1. */
function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = HEAD; question[at] !== 0; at += 1 + (question[at] ?? 0))
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join('.');
}

/** RFC 1035 §4.1: the question, with all addresses of its type. */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const type = question.indexOf(0, HEAD) + 1;
  const wanted = question.readUInt16BE(type);
  const fitting = addresses.filter((each) => TYPES[isIP(each) as 4 | 6] === wanted);
  const head = Buffer.from(question.subarray(0, type + 4));
  for (const [at, value] of [
    [2, 0x8180],
    [6, fitting.length],
    [8, 0],
    [10, 0],
  ] as const)
    head.writeUInt16BE(value, at);
  return Buffer.concat([head, ...fitting.map((each) => record(wanted, bytesOf(each)))]);
}

function record(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0, HEAD, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [, host = ''] = /^\[(.*)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  const [head = '', tail = ''] = host.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
