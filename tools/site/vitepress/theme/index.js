// The default theme with the fonts of the reader's system: pages are smaller, and nothing jumps while they load.
export { default } from 'vitepress/theme-without-fonts';
