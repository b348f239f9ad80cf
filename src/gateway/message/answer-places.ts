/**
 * Places to count answers at: one for each class of status and method. Both are few, whatever clients and upstreams send.
 * The commonest answer, 2xx to GET, has the place 0.
 */

const CLASSES = ['2xx', '3xx', '4xx', '5xx', '1xx', 'none'] as const;

/** RFC 9110 §9.3, and PATCH (RFC 5789). */
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'other'] as const;

export const PLACES: number = CLASSES.length * METHODS.length;

/** The first digit of a status → its class. */
const classes: readonly number[] = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'].map((each) =>
  CLASSES.indexOf(each as (typeof CLASSES)[number]),
);
const NONE = CLASSES.indexOf('none');
const methods: ReadonlyMap<string, number> = new Map(METHODS.map((method, index) => [method, index]));
const OTHER = METHODS.indexOf('other');

export interface CountedAnswer {
  /** Undefined: no answer was begun. A status beyond 599 counts as 5xx (RFC 9110 §15). */
  readonly status: number | undefined;
  /** Undefined: nothing was read that has one. */
  readonly method: string | undefined;
}

export function placeOf({ status, method }: CountedAnswer): number {
  const group = status === undefined ? NONE : (classes[Math.min(5, Math.floor(status / 100))] as number);
  return group * METHODS.length + (methods.get(method as string) ?? OTHER);
}

/** As labels of a metric. */
export function labelsOf(place: number): { readonly status_class: string; readonly method: string } {
  const group = Math.floor(place / METHODS.length);
  return { status_class: CLASSES[group] as string, method: METHODS[place - group * METHODS.length] as string };
}
