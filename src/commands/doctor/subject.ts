import type { Clock } from '../../base/clock.ts';
import { readText } from '../../config/files/read-text.ts';
import { type Loaded, loadAuthorizationConfig, loadGatewayConfig } from '../../config/load/load.ts';
import { type AuthorizationConfig, AuthorizationSchema } from '../../config/schema/authorization.ts';
import { type GatewayConfig, GatewaySchema } from '../../config/schema/gateway.ts';
import type { Schema } from '../../config/schema/input-schema.ts';
import { type EffectiveValue, effectiveValues } from '../../config/show/effective.ts';
import { detectKind, type FileKind } from '../../config/yaml/detect.ts';

interface OfFile<Kind, Config> {
  readonly kind: Kind;
  readonly file: string;
  readonly config: Config;
  /** The folder that relative paths in the file start from. */
  readonly directory: string;
  /** All values with their origins, without secrets. */
  readonly values: readonly EffectiveValue[];
}

export type LoadedGatewayFile = OfFile<'gateway', GatewayConfig>;
export type LoadedServiceFile = OfFile<'authorization', AuthorizationConfig>;

/** The checked file, as far as it can be read. */
export type Subject = LoadedGatewayFile | LoadedServiceFile | { readonly kind: 'unusable'; readonly file: string };

/** External inputs, and resources to close at the end. */
export interface DoctorContext {
  readonly clock: Clock;
  /** The version of Node.js, without a `v`. */
  readonly node: string;
  readonly opened: AsyncDisposableStack;
}

/** Loads the file. Another check reports a file that does not load, as `gatehouse check` does. */
export function subjectOf(file: string): Subject {
  return kindOf(file) === 'authorization'
    ? made('authorization', file, loadAuthorizationConfig(file), AuthorizationSchema as unknown as Schema)
    : made('gateway', file, loadGatewayConfig(file), GatewaySchema as unknown as Schema);
}

function made<Kind extends FileKind, Config>(kind: Kind, file: string, loaded: Loaded<Config>, schema: Schema) {
  if (!loaded.ok) return { kind: 'unusable', file } as const;
  const { config, directory, tree } = loaded;
  return { kind, file, config, directory, values: effectiveValues(schema, tree) };
}

function kindOf(file: string): FileKind | undefined {
  const read = readText(file, { waits: true });
  return read.ok ? detectKind(read.text) : undefined;
}
