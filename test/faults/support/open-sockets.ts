import { readdirSync, readlinkSync } from 'node:fs';

/** How many sockets a process has at the moment. */
export function openSockets(pid: number): number {
  return socketsOf(pid).size;
}

/** Their inodes, which /proc/net/tcp names too. */
export function socketsOf(pid: number): ReadonlySet<string> {
  const directory = `/proc/${pid}/fd`;
  return new Set(readdirSync(directory).flatMap((fd) => inodeOf(`${directory}/${fd}`)));
}

/** One may close between the listing and the look. */
function inodeOf(path: string): readonly string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [];
  } catch {
    return [];
  }
}
