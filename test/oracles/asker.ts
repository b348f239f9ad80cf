export const callers = ['anybody', 'reader', 'admin'] as const;
export type Caller = (typeof callers)[number];

/** The scope of each caller's token; undefined: no token. */
export const scopes: Readonly<Record<Caller, string | undefined>> = {
  anybody: undefined,
  reader: 'read',
  admin: 'read admin',
};

export type Field = readonly [name: string, value: string];

export interface Ask {
  readonly caller: Caller;
  readonly host: string;
  readonly target: string;
  readonly fields: readonly Field[];
}

/** The decision about a request. */
export type Answer =
  | {
      readonly kind: 'forwarded';
      /**
       * The head that the upstream got, without the parts that differ for equal requests: one text for equal requests.
       */
      readonly head: string;
    }
  | { readonly kind: 'refused'; readonly why: string };

/** Decides requests: the gateway, or a judge that is wrong on purpose. Answers in the order of the requests. */
export type Asker = (asks: readonly Ask[]) => Promise<readonly Answer[]>;

/** The head of a request as it is sent, without the empty line. */
export function headText(target: string, fields: readonly Field[]): string {
  return [`GET ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
}
