import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Fills a tree with a substitute for a base image. */
export function baseImage(name: string, root: string): void {
  const [, make] = standIns.find(([pattern]) => pattern.test(name)) ?? [];
  if (make === undefined) throw new Error(`Dockerfile: nothing stands in for the image ${name}`);
  make(root);
}

const standIns: readonly (readonly [RegExp, (root: string) => void])[] = [
  [/^node:24\b/, nodeImage],
  [/\/cc-debian\d+\b/, runtimeImage],
];

/** Only the program comes from the official image. RUN uses the Node.js of this machine. */
function nodeImage(root: string): void {
  place(realpathSync(process.execPath), join(root, 'usr/local/bin/node'));
}

/** Like the distroless image for C and C++ programs: the libraries, one user, and no program. */
function runtimeImage(root: string): void {
  for (const library of librariesOf(process.execPath)) place(realpathSync(library), join(root, library));
  for (const folder of ['etc', 'proc', 'dev', 'tmp', 'run/secrets', 'home/nonroot'])
    mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
  );
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
}

function librariesOf(program: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [realpathSync(program)], { encoding: 'utf8' });
  return [...stdout.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path = '']) => path);
}

function place(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}
