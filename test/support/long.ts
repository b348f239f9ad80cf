/** Whether the long variants of tests run. */
export const isLong = process.env.GATEHOUSE_LONG !== undefined && process.env.GATEHOUSE_LONG !== '';

/** For `t.test(title, { skip: skipUnlessLong }, …)`. */
export const skipUnlessLong: false | string = isLong ? false : 'long test: set GATEHOUSE_LONG=1';
