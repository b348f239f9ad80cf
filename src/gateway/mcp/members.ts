import type { JsonObject } from '../../jwt/json.ts';

/** A member of the object itself: an upstream may name `constructor` or `__proto__`. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
