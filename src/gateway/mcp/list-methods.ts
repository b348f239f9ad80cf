/** Methods whose results are lists of tools, prompts or resources. */
export const listMethods: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);
