/** A place of users, for comparisons and reports. */
export interface UserSource {
  /** Equal texts mean the same place. It may contain a secret. */
  readonly key: string;
  /** For a report. */
  readonly about: string;
}

/** `written`: the value in the configuration. It is the path of a file of users, or an object that names a store. */
export function userSource(written: string | object): UserSource {
  return { key: JSON.stringify(written), about: typeof written === 'string' ? written : 'the store' };
}
