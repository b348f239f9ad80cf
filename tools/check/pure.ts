// Which tests open no socket and start no process. Their imports decide it, and guard.ts enforces it while they run.
import { globSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { allImports, type Import } from './import-graph.ts';
import { isMeasured } from './measured.ts';

/** Nothing imports these for another purpose. */
const OPENS =
  /^(node:(dgram|child_process|cluster|inspector)|fastify|@fastify\/.*|playwright-core|oidc-provider|openid-client)$/;
/** A test that imports one of these uses it. Code in src/ may need only a name from it, such as `isIP`. */
const CAN_OPEN = /^(node:(net|tls|https?|http2)|undici|ioredis|pg)$/;
const SERVER = /\bcreate(Secure)?Server\b/;

const src = `${resolve('src')}${sep}`;

function isOpening({ by, to, names }: Import): boolean {
  return OPENS.test(to) || (CAN_OPEN.test(to) && (!by.startsWith(src) || SERVER.test(names)));
}

/** Why a test is not pure: the import that opens something. Undefined for a pure test. */
export function opening(file: string): Import | undefined {
  return allImports(file).find(isOpening);
}

/**
 * This module replaces `RegExp.prototype.exec` for a moment. After that, V8 runs each RegExp of the process up to ten
 * times as slowly, until the process ends.
 */
const SLOWING = resolve('test/support/executed-patterns.ts');

function slowsProcess(file: string): boolean {
  return allImports(file).some(({ to }) => to === SLOWING);
}

/**
 * The pure tests of the whole test folder, in the order in which they run. Tests that measure time or memory are
 * excluded, because they run alone.
 */
export function pureTests(): readonly string[] {
  const files = globSync('test/**/*.test.ts')
    .sort()
    .filter((file) => !isMeasured(file) && opening(file) === undefined);
  return [...files.filter((file) => !slowsProcess(file)), ...files.filter(slowsProcess)];
}
