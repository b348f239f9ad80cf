/**
 * Waits for an answer until a deadline, in milliseconds. An answer that arrived while this process was busy is still read
 * before the deadline is checked.
 */
export function answerWithin<Value>(answer: Promise<Value>, deadline: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('no answer in time'));
    const timer = setTimeout(() => setImmediate(late), deadline);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
