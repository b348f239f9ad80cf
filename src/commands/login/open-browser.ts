import { spawn } from 'node:child_process';

type Opener = readonly [program: string, ...args: readonly string[]];

/** Platform → the program that opens a URL. All others have the program of freedesktop.org. */
const openers: Readonly<Partial<Record<NodeJS.Platform, Opener>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const XDG: Opener = ['xdg-open'];

/** One of these variables names a screen or a browser. Without them, xdg-open would start a browser for terminals. */
const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'] as const;

/** Opens a web address, if this machine has a screen. The URL is also printed, so a failure needs no message. */
export function openBrowser(url: string): void {
  const opener = openers[process.platform];
  if (opener === undefined && !SCREENS.some((name) => process.env[name])) return;
  const [program, ...args] = opener ?? XDG;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
