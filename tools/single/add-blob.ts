import { inject } from 'postject';

/** Node.js looks for this name, but only if this mark in its own executable says that there is something to find. */
const [NAME, MARK] = ['NODE_SEA_BLOB', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];

/** Adds the blob to a copy of Node.js. */
export async function addBlob(file: string, blob: Buffer): Promise<void> {
  const unmute = mute();
  try {
    await inject(file, NAME, blob, { sentinelFuse: MARK });
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(
      `${process.execPath} cannot become a single executable: ${reason}. Use a Node.js from nodejs.org or npm.`,
    );
  } finally {
    unmute();
  }
}

/** The library warns about each section of the executable whose name it does not find. Nothing needs these names. */
function mute(): () => void {
  const { warn, error } = console;
  Object.assign(console, { warn: () => undefined, error: () => undefined });
  return () => void Object.assign(console, { warn, error });
}
