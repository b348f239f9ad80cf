import { readdirSync, readlinkSync } from 'node:fs';

/** How many sockets a process has now. */
export function openSockets(pid: number): number {
  return socketsOf(pid).size;
}

/** Their inodes, which are also in /proc/net/tcp. */
export function socketsOf(pid: number): ReadonlySet<string> {
  const directory = `/proc/${pid}/fd`;
  return new Set(readdirSync(directory).flatMap((fd) => inodeOf(`${directory}/${fd}`)));
}

/** A socket may close between the listing and the check. */
function inodeOf(path: string): readonly string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [];
  } catch {
    return [];
  }
}
