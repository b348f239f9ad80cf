import { didYouMean } from '../words/closest.ts';

/**
 * The CSS variables of the hosted pages that `theme.css` may set, and their grammar. The grammar is strict because a value ends
 * up in a stylesheet: no accepted value can end its declaration.
 */

export type ThemeKind = 'color' | 'length' | 'font';

export interface ThemeVariable {
  readonly kind: ThemeKind;
  readonly light: string;
  /** The same as `light` if the color scheme makes no difference. */
  readonly dark: string;
  readonly description: string;
}

const system = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif';

const color = (light: string, dark: string, description: string) => row('color', light, dark, description);
const length = (value: string, description: string) => row('length', value, value, description);

function row(kind: ThemeKind, light: string, dark: string, description: string): ThemeVariable {
  return { kind, light, dark, description };
}

/** Name → kind, defaults and meaning. */
export const themeVariables = {
  '--accent': color('#0b5cad', '#7db8f5', 'Buttons, links, ticks and the focus ring.'),
  '--background': color('#eef1f4', '#101418', 'The area around the card.'),
  '--surface': color('#ffffff', '#1a2027', "The card that holds the page's content."),
  '--text': color('#16202a', '#e8edf2', 'Text.'),
  '--muted': color('#536271', '#a3b0bd', 'Less important text.'),
  '--border': color('#7c8996', '#74818e', 'Borders of fields, plain buttons and tags.'),
  '--danger': color('#b3261e', '#ffb4ab', 'Error messages.'),
  '--radius': length('10px', 'The radius of corners, at most 32px.'),
  '--logo-height': length('40px', 'The height of the logo, at most 96px.'),
  '--font': row('font', system, system, 'Font families in order of preference. Only fonts on the device are used.'),
} as const satisfies Readonly<Record<string, ThemeVariable>>;

export type ThemeName = keyof typeof themeVariables;

export const themeNames = Object.keys(themeVariables).filter(isThemeName);

export function isThemeName(name: string): name is ThemeName {
  return Object.hasOwn(themeVariables, name);
}

/** Why the pages reject the variable or its value, with the remedy; undefined if they accept both. */
export function themeValueFault(name: string, value: string): string | undefined {
  if (!isThemeName(name)) return `the pages have no variable of this name; ${nameHint(name)}`;
  const { light, kind } = themeVariables[name];
  return colorSchemesOf(name, value) === undefined ? `this is not ${forms[kind](name, light)}` : undefined;
}

function nameHint(name: string): string {
  return didYouMean(name, themeNames) ?? `known: ${themeNames.join(', ')}`;
}

const forms: Readonly<Record<ThemeKind, (name: ThemeName, example: string) => string>> = {
  color: (_, example) =>
    `an opaque color as #rgb, #rrggbb, rgb(…) or hsl(…), or light-dark(one, other): write for example "${example}"`,
  length: (name, example) =>
    `a length from 0 to ${longest[name] ?? 0}px in px or rem: write for example ${JSON.stringify(example)}`,
  font: () => `a list of font families; quote a name with double quotes if it has anything except letters and spaces`,
};

/** The values for both color schemes. A plain value applies to both. Undefined if the grammar rejects it. */
export function colorSchemesOf(name: ThemeName, value: string): { light: string; dark: string } | undefined {
  if (value.length > 300) return undefined;
  const { kind } = themeVariables[name];
  const [light, dark] = (kind === 'color' ? lightDark.exec(value)?.slice(1) : undefined) ?? [value, value];
  if (light === undefined || dark === undefined) return undefined;
  return grammar[kind](name, light) && grammar[kind](name, dark) ? { light, dark } : undefined;
}

/** CSS Color 5 §6.1. It is resolved here, so that browsers need not support it. */
const lightDark = /^light-dark\( ?(\w+\([^()]*\)|[^(),\s]+) ?, ?(\w+\([^()]*\)|[^(),\s]+) ?\)$/;

const longest: Readonly<Partial<Record<ThemeName, number>>> = { '--radius': 32, '--logo-height': 96 };

const grammar: Readonly<Record<ThemeKind, (name: ThemeName, value: string) => boolean>> = {
  color: (_, value) => parseColor(value) !== undefined,
  length: (name, value) => {
    const [, number, unit] = /^([0-9]{1,3}(?:\.[0-9]{1,3})?)(px|rem)?$/.exec(value) ?? [];
    if (number === undefined || (unit === undefined && Number(number) !== 0)) return false;
    return Number(number) * (unit === 'rem' ? 16 : 1) <= (longest[name] ?? 0);
  },
  font: (_, value) => value.split(',').every((family) => isFamily(family.replace(/^ +| +$/g, ''))),
};

/** CSS Fonts 4 §2.1: a quoted name, or identifiers, except the reserved words of CSS. */
function isFamily(family: string): boolean {
  if (/^(inherit|initial|unset|revert|revert-layer|default)$/i.test(family)) return false;
  return /^"[A-Za-z0-9 ._+-]{1,64}"$/.test(family) || /^-?[A-Za-z]+(?:[ -][A-Za-z]+){0,7}$/.test(family);
}

/** Red, green, blue: 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Parses an opaque color (CSS Color 4 §5.1, §5.2, §7) within the theme's grammar. */
export function parseColor(text: string): Rgb | undefined {
  return fromHex(text) ?? fromRgb(text) ?? fromHsl(text);
}

function fromHex(text: string): Rgb | undefined {
  if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)) return undefined;
  const wide = text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&') : text;
  const bits = Number.parseInt(wide.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 255, bits & 255];
}

function fromRgb(text: string): Rgb | undefined {
  const parts = /^rgb\( ?(\d{1,3})(?:, ?| )(\d{1,3})(?:, ?| )(\d{1,3}) ?\)$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return triple(parts);
}

function fromHsl(text: string): Rgb | undefined {
  const parts = /^hsl\( ?(\d{1,3})(?:deg)?(?:, ?| )(\d{1,3})%(?:, ?| )(\d{1,3})% ?\)$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [hue, saturation, lightness] = triple(parts);
  if (hue > 360 || saturation > 100 || lightness > 100) return undefined;
  const reach = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const channel = (offset: number) => {
    const turn = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness / 100 - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

function triple([one = 0, two = 0, three = 0]: readonly number[]): Rgb {
  return [one, two, three];
}

/** Why a file cannot be the logo, judged by its name; undefined if it can. */
export function logoFileFault(file: string): string | undefined {
  return /\.(?:svg|png)$/i.test(file) ? undefined : 'the logo is neither an SVG nor a PNG: name a .svg or .png file';
}
