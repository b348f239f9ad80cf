/** A message of Envoy's API, as JSON. */
export type EnvoyPart = Readonly<Record<string, unknown>>;

const TYPES = 'type.googleapis.com/';

export function typed(type: string, members: EnvoyPart = {}): EnvoyPart {
  return { '@type': `${TYPES}${type}`, ...members };
}

/** An entry of a list of extensions. */
export function extension(name: string, type: string, members: EnvoyPart = {}): EnvoyPart {
  return { name, typed_config: typed(type, members) };
}

export function matchingRegex(regex: string): EnvoyPart {
  return { safe_regex: { regex } };
}

export function durationText(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
