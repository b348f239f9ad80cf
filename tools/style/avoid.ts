// Words that are never right here, and what to write. docs/style.md has the pairs; a row is a pattern and its remedy.

export interface Avoided {
  readonly pattern: RegExp;
  readonly write: string;
  /** Where the words are right. */
  readonly but?: RegExp;
}

const words: readonly (readonly [RegExp, string, RegExp?])[] = [
  [/\bwh(?:o|om)(?:so)?ever\b/i, 'anyone who, a client that'],
  [/\bnobody\b/i, 'no one, no client, nothing'],
  [/\bsomebody\b/i, 'someone, an operator, a client'],
  [/\beverybody\b/i, 'everyone, each client'],
  [/\bunless told\b/i, 'by default'],
  [/\banew\b/i, 'again'],
  [/\bof those that\b/i, 'each … that'],
  [/\b(?:is|are|was|were) no more\b(?! than)/i, 'has ended, no longer exists'],
  [/\bfeign/i, 'forge, spoof'],
  [/\bvouch/i, 'sign, verify'],
  [/\bbesides\b/i, 'also, beside (a place)'],
  [/\b(?:is|are|be) not well\b(?!-)/i, 'is unhealthy'],
  [/\b(?:fits|knows|holds|takes|says|stands) not\b/i, 'does not …'],
  [/\bstands\b/i, 'is, is listed', /\bstands (?:in front|for|out)\b/i],
  [/\bthe like\b/i, 'similar, and so on'],
  [
    /\b(?:nothing|all|none|anything|everything|nowhere|no one|no [a-z]+) but\b/i,
    'only, all except',
    /\bno [a-z]+ but (?:it|they|the|a|not)\b/i,
  ],
  [/\bbut for\b/i, 'except for'],
  [
    /\b(?:whereby|wherein|thereof|therein|hereby|herein|thereby|therewith|hence|lest|whilst|amongst|ought)\b/i,
    'plain modern words',
  ],
  [/\bin spite of\b/i, 'despite'],
  [/\bin force\b/i, 'applies, is active'],
  [/\bby no means\b/i, 'not'],
  [/\b(?:as|so) told\b|\btold (?:so|otherwise)\b/i, 'as configured, by default'],
  [/\b(?:goes|go|went|gone) on\b/i, 'continue, keep'],
  [/\bis to be\b|\bare to be\b/i, 'must be, will be'],
  [/\bkin\b/i, 'similar'],
  [/\bsignif(?:y|ies)\b/i, 'mean'],
  [/\b(?:that|those) of (?:the|a|an|its|each|one)\b.*\bis in\b/i, 'name the thing again'],
  [/\bafter all\b(?! [a-z])/i, 'leave it out'],
  [/\bof itself\b|\bof themselves\b/i, 'itself'],
];

const spellings: readonly (readonly [RegExp, string])[] = [
  [/\btime-outs?\b/i, 'timeout'],
  [/\be-mails?\b/i, 'email'],
  [/\b(?:white space|white-space)\b/i, 'whitespace'],
  [/\bmeta data\b|\bmeta-data\b/i, 'metadata'],
  [/\bauthoris|\borganis(?:e|a)|\brecognis|\bnormalis|\bbehaviors?\b/i, 'authorize, recognize, normalize; behaviour'],
  [/\bfile name\b/i, 'filename'],
  [/\bhost name\b/i, 'hostname'],
  [/\bweb ?sockets?\b(?<!WebSockets?)/, 'WebSocket'],
  [/\bpostgres\b(?!ql|:| <)/, 'PostgreSQL'],
  [/\b(?:Sqlite|sqlite(?!:| <))\b/, 'SQLite'],
  [/\bopenid connect\b/, 'OpenID Connect'],
  [/\bre-?tries\b(?<!retries)|\bre-try\b/i, 'retry, retries'],
];

const openings: readonly (readonly [RegExp, string])[] = [
  [/^(?:What|Who|Whose|Whether|Whom) (?!.*\?$)/, 'begin with the subject'],
  [/^Of (?![^.]*, )/, 'begin with the subject'],
  [
    /^(?:Neither|Nor|So|Never|Nowhere|Rarely|Seldom) (?:is|are|does|do|did|has|have|can|may|was|were|must|will)\b/,
    'subject before verb',
  ],
  [
    /^Only (?:then|so|what|who|where|with|in|by|after|once|when)\b.*\b(?:is|are|does|do|can|may|has|have) (?:it|the|a|they)\b/,
    'subject before verb',
  ],
  [/^Not (?:a|an|one|every|so|even)\b/, 'begin with the subject'],
  [
    /^(?:Behind|Below|Above|Beside|Before|Between|Among|Under|In|On|At|From|To|With) [^,]{1,60}? (?:stands?|lies?|comes?|goes)\b/,
    'subject before verb',
  ],
];

const rows = (list: readonly (readonly [RegExp, string, RegExp?])[]): Avoided[] =>
  list.map(([pattern, write, but]) => ({ pattern, write, ...(but !== undefined && { but }) }));

/** Sometimes right in a message, which is short; never in a page or a comment. */
const prose: readonly (readonly [RegExp, string, RegExp?])[] = [
  [/\b(?:is|are|was|were) told\b/i, 'gets, learns; report, log', /told apart/],
  [/\blook(?:s|ed)? at\b/i, 'check, read'],
  [/\b(?:is|are) taken (?:for|up|out|over)\b/i, 'counts as, loads, is removed'],
  [/\b(?:handed|hands?) on\b|\bg(?:ives|iven) out\b/i, 'forward, issue'],
  [
    /(?:[;:] |^)(?:what|who) [^,;.?]{2,50} (?:is|are|has|gets|does|must|may|can|comes|goes|passes|stays|counts|ends)\b/,
    'name the thing',
    /\?$/,
  ],
  [/^Of [a-z]/, 'for, or begin with the subject', /^Of (?:two|several|all) /],
];

/**
 * Found by reading random sentences and by a prose linter. Right in a comment next to code, wrong for a reader without
 * the code.
 */
const readers: readonly (readonly [RegExp, string, RegExp?])[] = [
  [/\b(?:that|those) of (?:the|a|an|its|each|one|another|their)\b/i, 'name the thing again'],
  [/\bthe (?:former|latter)\b/i, 'name the thing again'],
  [/\b(?:is|are) (?:believed|looked for)\b/i, 'trust, search for'],
  [/\bwould become of\b/i, 'would happen to'],
  [/\bof (?:any |no )?use\b(?! of)/i, 'useful, useless'],
  [/\btak(?:e|es|en) up\b/i, 'load, apply'],
  [/\b(?:is|are) not known here\b/i, 'unknown, not trusted'],
  [/\bshar(?:e|es|ed|ing) out\b/i, 'spread, distribute'],
  [/\bput aside\b/i, 'rename, keep'],
  [/\bin any case\b/i, 'always'],
  [/\bso (?:much|many) (?:at least|in a row|pass)\b/i, 'at least this many'],
  [/\band [^ ]+ is none\b/i, 'is not one'],
];

/** In every text: prose, comments, messages. */
export const avoided: readonly Avoided[] = [...rows(words), ...rows(spellings)];

/** In pages and comments. */
export const avoidedInProse: readonly Avoided[] = rows(prose);

/** In pages and messages. */
export const avoidedForReaders: readonly Avoided[] = rows(readers);

/** At the beginning of a whole sentence of prose. */
export const avoidedOpenings: readonly Avoided[] = rows(openings);

/** A docstring may name a thing in a few words: "Whether the connection is TLS." It is no sentence then. */
export const NAMING = /^(?:Whether|What|Who|Whose|Whom) /;
