/**
 * One value for equal inputs, which JSON can tell apart. Thousands of routes then share a few sets and maps, and these
 * stay in the cache of the processor: requests spread over routes that own theirs wait for memory at each.
 */
export function oncePerInput<Input, Value>(make: (input: Input) => Value): (input: Input) => Value {
  const made = new Map<string, { readonly value: Value }>();
  return (input) => {
    const key = JSON.stringify(input);
    const known = made.get(key) ?? { value: make(input) };
    made.set(key, known);
    return known.value;
  };
}
