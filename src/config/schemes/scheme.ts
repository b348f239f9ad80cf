import type { TSchema } from 'typebox';
import type { FileContext } from '../files/referred-file.ts';
import type { Finding, Pointer } from '../words/problem.ts';

/**
 * What the configuration knows of one credential scheme: the block of a route that has its name, and the rules of that
 * block. What the gateway does with the block is a row of src/gateway/schemes.
 */
export interface SchemeRow<Block = unknown> {
  /** In `auth`, and of the block. */
  readonly name: string;
  readonly schema: TSchema;
  /** How to write the block, for a route that names the scheme and has none. */
  readonly example: string;
  /** The rules that a schema cannot say. */
  readonly checks: readonly SchemeCheck<Block>[];
  /** Who may pass and with which scope: blocks that give equal JSON let the same people in. */
  people(block: Block): unknown;
  /** Where its credentials may stand. Absent: in Authorization, after the name of the scheme (RFC 9110 §11.6.2). */
  places?(block: Block): readonly CredentialPlace[];
  /** Header names, other than those of `places`, that decide whether its credentials are right. */
  fields?(block: Block): readonly string[];
}

/** A place other than Authorization. A credential there is removed from what the upstream gets. */
export interface CredentialPlace {
  readonly in: 'header' | 'query';
  /** The header's name in lower case, or the query parameter's name as written. */
  readonly name: string;
}

export interface SchemeCheck<Block> {
  /** The rule in a few words. Rows may share one. */
  readonly rule: string;
  /** `blocks`: all of the scheme in the file. */
  findings(blocks: readonly PlacedBlock<Block>[], file: FileFacts): readonly Finding[];
}

/** A block in the file. */
export interface PlacedBlock<Block> {
  readonly at: Pointer;
  readonly value: Block;
  readonly route: RouteFacts;
}

/** The parts of its route that a rule of a block reads. */
export interface RouteFacts {
  /** Milliseconds between two bytes of an answer. */
  readonly idle: number | 'none';
  /** Bytes, `limits.body` of the route itself. */
  readonly body: number | 'none' | undefined;
  readonly isForUpgrades: boolean;
  readonly endsWithToken: boolean;
}

/** The other parts of the file that a rule of a block reads. */
export interface FileFacts {
  readonly around: FileContext;
  /** The host of `listen`. */
  readonly host: string;
  readonly hasTls: boolean;
  readonly trustsProxies: boolean;
  readonly hasDecision: boolean;
  readonly workers: number | 'auto';
  /** `memory`: each gateway counts alone. */
  readonly countersUrl: string;
  readonly hasNonceKeys: boolean;
  /** `scopes_supported`. */
  readonly scopes: readonly string[] | undefined;
}

/** A rule about each block alone. */
export function each<Block>(
  judge: (block: PlacedBlock<Block>, file: FileFacts) => readonly Finding[],
): SchemeCheck<Block>['findings'] {
  return (blocks, file) => blocks.flatMap((block) => judge(block, file));
}
