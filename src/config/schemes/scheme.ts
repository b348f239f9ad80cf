import type { TSchema } from 'typebox';
import type { FileContext } from '../files/referred-file.ts';
import type { Finding, Pointer } from '../words/problem.ts';

/**
 * The configuration of one credential scheme: the block of a route with its name, and the rules of this block.
 * src/gateway/schemes has the matching code.
 */
export interface SchemeRow<Block = unknown> {
  /** The name in `auth`, and the name of the block. */
  readonly name: string;
  readonly schema: TSchema;
  /** An example of the block, for a route that names the scheme and has no block. */
  readonly example: string;
  /** The rules that a schema cannot express. */
  readonly checks: readonly SchemeCheck<Block>[];
  /** The people who may pass, with their scopes. Two blocks with equal JSON accept the same people. */
  people(block: Block): unknown;
  /** The possible places of its credentials. Absent: Authorization, after the name of the scheme (RFC 9110 §11.6.2). */
  places?(block: Block): readonly CredentialPlace[];
  /** Other header names that affect the verification of its credentials. */
  fields?(block: Block): readonly string[];
}

/** A place other than Authorization. The upstream does not get a credential in this place. */
export interface CredentialPlace {
  readonly in: 'header' | 'query';
  /** The header's name in lower case, or the query parameter's name as written. */
  readonly name: string;
}

export interface SchemeCheck<Block> {
  /** The rule in a few words. Schemes may share a rule. */
  readonly rule: string;
  /** `blocks`: all blocks of the scheme in the file. */
  findings(blocks: readonly PlacedBlock<Block>[], file: FileFacts): readonly Finding[];
}

/** A block in the file. */
export interface PlacedBlock<Block> {
  readonly at: Pointer;
  readonly value: Block;
  readonly route: RouteFacts;
}

/** The parts of its route that a rule of a block needs. */
export interface RouteFacts {
  /** Milliseconds between two bytes of an answer. */
  readonly idle: number | 'none';
  /** Bytes: `limits.body` of the route itself. */
  readonly body: number | 'none' | undefined;
  readonly isForUpgrades: boolean;
  readonly endsWithToken: boolean;
}

/** The other parts of the file that a rule of a block needs. */
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
