/** The package has no types of its own. These describe what tools/single uses. */
declare module 'postject' {
  /** Adds `data` to the executable `file` under `name`, and marks the executable as one that has it. */
  export function inject(file: string, name: string, data: Buffer, options: { sentinelFuse: string }): Promise<void>;
}
