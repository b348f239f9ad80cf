import * as Type from 'typebox';

const text = Type.String();
const number = Type.Number();
const optional = Type.Optional;
const oneOf = (...words: readonly string[]) => Type.Union(words.map((word) => Type.Literal(word)));

/** A step, as `explain` shows it. */
export const StepSchema = Type.Object({
  step: text,
  verdict: oneOf('passed', 'refused', 'unavailable', 'undecided', 'skipped', 'not reached'),
  detail: text,
  at: optional(text),
});

/** A live decision. It may have more members. */
export const DecisionSchema = Type.Object({
  number,
  process: optional(text),
  time: number,
  request_id: text,
  method: text,
  host: optional(text),
  path: text,
  status: optional(number),
  code: text,
  route: optional(text),
  at: optional(text),
  address: text,
  milliseconds: number,
  steps: Type.Array(StepSchema),
});
