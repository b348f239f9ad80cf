import type { YAMLError } from 'yaml';

export interface YamlWords {
  readonly message: string;
  readonly hint?: string;
}

const noTags: YamlWords = {
  message: 'YAML tags (`!…`) have no meaning here',
  hint: 'put text that starts with `!` in quotes',
};
const oneAnchor: YamlWords = {
  message: 'an anchor (`&name`) or an alias (`*name`) in the wrong place',
  hint: 'put text that starts with `&` or `*` in quotes',
};
export const nestedTooDeep: YamlWords = {
  message: 'lists and maps are nested too deep',
  hint: 'check that this is the intended file',
};
const unclear: YamlWords = {
  message: 'not valid YAML: this does not belong here',
  hint: 'look for a missing quote, bracket or `:` here or above, and check the indentation',
};

/** Our own words for the parser's errors. The parser's own messages quote the file, and a quoted part may be a secret. */
const words: Readonly<Record<YAMLError['code'], YamlWords>> = {
  ALIAS_PROPS: oneAnchor,
  BAD_ALIAS: oneAnchor,
  BAD_COLLECTION_TYPE: noTags,
  BAD_DIRECTIVE: {
    message: 'a line that starts with `%` is a directive of YAML, and this directive does not exist',
    hint: 'put text that starts with `%` in quotes',
  },
  BAD_DQ_ESCAPE: {
    message: 'in double quotes, YAML does not define this backslash escape',
    hint: 'write two backslashes, or put the text in single quotes',
  },
  BAD_INDENT: {
    message: 'the indentation matches no line above it',
    hint: 'let all keys of a map, or all items of a list, start in the same column; if they already do, look for an unclosed bracket above',
  },
  BAD_PROP_ORDER: oneAnchor,
  BAD_SCALAR_START: { message: 'text without quotes cannot start with this character', hint: 'put it in quotes' },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a second `:` in one line, or an item to the left of its list',
    hint: 'put text that contains `: ` in quotes; items of a list start in the same column',
  },
  BLOCK_IN_FLOW: {
    message: 'inside { } or [ ], indentation cannot make maps or lists',
    hint: 'write the inner maps and lists in { } or [ ] too, or remove the outer { } or [ ]',
  },
  DUPLICATE_KEY: { message: 'this key occurs twice in the same map', hint: 'keep one of them' },
  IMPOSSIBLE: unclear,
  KEY_OVER_1024_CHARS: { message: 'a key of more than 1024 characters', hint: 'look for an unclosed quote' },
  MISSING_CHAR: {
    message: 'a quote or bracket is not closed, or `:` is missing after a key',
    hint: 'if neither is the case, compare the indentation with the lines above: keys of one map start in the same column',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a key on more than one line, or text where a key belongs',
    hint: 'look for a missing `:` after a key; if a value has its own line, indent it more than its key',
  },
  MULTIPLE_ANCHORS: oneAnchor,
  MULTIPLE_DOCS: { message: 'a second YAML document in the file', hint: 'remove the line `---`' },
  MULTIPLE_TAGS: noTags,
  NON_STRING_KEY: { message: 'a key must be a plain word' },
  RESOURCE_EXHAUSTION: nestedTooDeep,
  TAB_AS_INDENT: { message: 'a tab in the indentation', hint: 'indent YAML with spaces' },
  TAG_RESOLVE_FAILED: noTags,
  UNEXPECTED_TOKEN: unclear,
};

export function inOurWords({ code }: YAMLError): YamlWords {
  return words[code] ?? unclear;
}
