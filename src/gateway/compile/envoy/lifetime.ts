import { call, fieldIn, hasMember, members, numberConst, textConst } from './cel.ts';
import type { EnvoyPart } from './part.ts';
import { JWT_FILTER } from './principals.ts';

/** Checks of times that jwt_authn does not have. Whole seconds, so a token is refused up to a second early. */
const NOW = call('double', call('int', members('request', 'time')));

/**
 * `iat` is not in the future, and the lifetime from `iat` to `exp` is not too long. Without `iat`, the lifetime counts
 * from now. All in seconds.
 */
export function lifetimeCondition(payload: string, { skew, maxLifetime }: { skew: number; maxLifetime: number }) {
  const claims = call(
    '_[_]',
    call('_[_]', members('metadata', 'filter_metadata'), textConst(JWT_FILTER)),
    textConst(payload),
  );
  const [exp, iat] = [fieldIn(claims, 'exp'), fieldIn(claims, 'iat')];
  const lives = (from: EnvoyPart) => call('_<=_', call('_-_', exp, from), numberConst(maxLifetime + skew));
  const begun = call('_<=_', iat, call('_+_', NOW, numberConst(skew)));
  return call('_?_:_', hasMember(claims, 'iat'), call('_&&_', lives(iat), begun), lives(NOW));
}
