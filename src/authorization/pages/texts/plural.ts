/** A text for each plural form of the language (CLDR). A text may name the `{count}`. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
