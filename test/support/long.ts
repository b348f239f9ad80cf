const wanted = process.env.GATEHOUSE_LONG ?? '';

/** `GATEHOUSE_LONG=1`: every long variant, for hours. */
export const isLong = wanted === '1';

/** Also with `GATEHOUSE_LONG=ci`: the sizes that a requirement names. */
export const isFullSize = isLong || wanted === 'ci';

/** For `t.test(title, { skip: skipUnlessFullSize }, …)`. */
export const skipUnlessFullSize: false | string = isFullSize ? false : 'long test: set GATEHOUSE_LONG=1';
