/**
 * Makes one value for equal inputs, compared as JSON. Thousands of routes then share a few sets and maps, which stay in
 * the processor's cache. If each route had its own, requests would wait for memory.
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
