import {
  colorSchemesOf,
  parseColor,
  type Rgb,
  type ThemeName,
  themeNames,
  themeVariables,
} from '../../config/schema/theme.ts';
import { hex, mix, readableOn, standingOut } from './contrast.ts';

type Scheme = 'light' | 'dark';
type ThemeValues = Readonly<Record<string, string>>;

/**
 * The one stylesheet of the pages. Theme values that do not match its grammar are left out. Colors on the card are moved
 * towards black or white as far as WCAG 2.2 AA (§1.4.3, §1.4.11) requires. So no theme makes a page unreadable in either
 * scheme.
 */
export function stylesheet(theme: ThemeValues = {}): string {
  return `:root {
  color-scheme: light dark;
${declarations(theme, 'light')}
}
@media screen and (prefers-color-scheme: dark) {
  :root {
${declarations(theme, 'dark')}
  }
}
${rules}`;
}

/** The minimum contrast with `--surface`, which is behind all text. */
const ratios: Readonly<Partial<Record<ThemeName, number>>> = {
  '--text': 4.5,
  '--muted': 4.5,
  '--danger': 4.5,
  '--border': 3,
};

function declarations(theme: ThemeValues, scheme: Scheme): string {
  const surface = colorOf('--surface', theme, scheme);
  const given = themeNames.map((name) => [name, settled(name, theme, scheme, surface)] as const);
  return [...given, ...derived(theme, scheme, surface)].map(([name, value]) => `  ${name}: ${value};`).join('\n');
}

/** A button has exactly the accent color. Text and lines in this color on the card must stay visible. */
function derived(theme: ThemeValues, scheme: Scheme, surface: Rgb): readonly (readonly [string, string])[] {
  const accent = colorOf('--accent', theme, scheme);
  return [
    ['--on-accent', hex(readableOn(accent))],
    ['--accent-edge', hex(standingOut(accent, surface, 3))],
    ['--accent-ink', hex(standingOut(accent, surface, 4.5))],
    ['--line', hex(mix(surface, colorOf('--border', theme, scheme), 0.4))],
  ];
}

/** The accent color of the light scheme, before any correction of the contrast. */
export function accentOf(theme: ThemeValues): Rgb {
  return colorOf('--accent', theme, 'light');
}

function settled(name: ThemeName, theme: ThemeValues, scheme: Scheme, surface: Rgb): string {
  if (themeVariables[name].kind !== 'color') return valueIn(name, theme, scheme);
  const color = colorOf(name, theme, scheme);
  const ratio = ratios[name];
  return hex(ratio === undefined ? color : standingOut(color, surface, ratio));
}

function colorOf(name: ThemeName, theme: ThemeValues, scheme: Scheme): Rgb {
  return parseColor(valueIn(name, theme, scheme)) ?? [0, 0, 0];
}

function valueIn(name: ThemeName, theme: ThemeValues, scheme: Scheme): string {
  const given = Object.hasOwn(theme, name) ? colorSchemesOf(name, theme[name] ?? '') : undefined;
  return (given ?? themeVariables[name])[scheme];
}

// Logical properties only, so that a right-to-left language needs no other rules.
const rules = `
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.5 var(--font); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-block-size: 100vh;
  min-block-size: 100dvh;
  background: var(--background);
  color: var(--text);
  overflow-wrap: anywhere;
}
main {
  inline-size: 100%;
  max-inline-size: 27rem;
  margin-inline: auto;
  padding: 2.5rem;
  background: var(--surface);
}
main.wide { max-inline-size: 46rem; }
@media (min-width: 32rem) {
  body { padding: clamp(1.5rem, 9vh, 6rem) 1.5rem; }
  main { border-radius: var(--radius); box-shadow: 0 1px 2px rgb(0 0 0 / 8%), 0 8px 32px rgb(0 0 0 / 8%); }
}
@media (max-width: 31.99rem) {
  body { background: var(--surface); }
  main { padding: 1.5rem 1.25rem 2rem; }
}

.site { margin-block-end: 2rem; color: var(--muted); font-size: 0.9375rem; font-weight: 600; }
.site img { display: block; block-size: var(--logo-height); inline-size: auto; max-inline-size: 100%; object-fit: contain; object-position: left; }
[dir="rtl"] .site img { object-position: right; }
h1 { margin: 0 0 0.75rem; font-size: 1.625rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.011em; text-wrap: balance; }
h2 { margin: 0 0 1rem; font-size: 1.1875rem; line-height: 1.3; font-weight: 650; }
h3 { margin: 0; font-size: 1rem; font-weight: 650; }
p { margin: 0 0 1rem; text-wrap: pretty; }
main > :last-child { margin-block-end: 0; }
ul { margin: 0; padding: 0; list-style: none; }
strong { font-weight: 650; }
.quiet { color: var(--muted); font-size: 0.9375rem; }
.hidden { position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

a { display: inline-block; padding-block: 0.75rem; color: var(--accent-ink); text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--accent-ink); outline-offset: 2px; }

.alert {
  margin-block: 0 1.5rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--danger);
  border-inline-start-width: 4px;
  border-radius: var(--radius);
  color: var(--danger);
  font-weight: 500;
}

.field { margin-block-end: 1.25rem; }
.field label { display: block; margin-block-end: 0.375rem; font-weight: 550; }
.field input {
  display: block;
  inline-size: 100%;
  min-block-size: 2.875rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--border);
  border-radius: var(--radius);
  background: var(--surface);
  color: var(--text);
  font: inherit;
}
.secret { display: grid; grid-template-columns: 1fr auto; align-items: end; }
.secret input { grid-area: 2 / 1 / 3 / 3; }
.reveal { grid-area: 1 / 2; margin-block: -1rem -0.25rem; }
.reveal[hidden] { display: none; }
.field input[aria-invalid="true"] { border-color: var(--danger); }

button { font: inherit; cursor: pointer; transition: box-shadow 0.12s; }
.button {
  display: block;
  inline-size: 100%;
  min-block-size: 2.875rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--accent-edge);
  border-radius: var(--radius);
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
  text-align: center;
}
.button:hover { box-shadow: inset 0 0 0 2px var(--accent), inset 0 0 0 3px var(--on-accent); }
.plain {
  min-block-size: 2.75rem;
  min-inline-size: 2.75rem;
  padding: 0.375rem 0.875rem;
  border: 1px solid var(--border);
  border-radius: var(--radius);
  background: var(--surface);
  color: var(--text);
  font-weight: 550;
}
.choice .plain { font-weight: 600; }
.link {
  min-block-size: 2.75rem;
  min-inline-size: 2.75rem;
  padding: 0.25rem 0;
  border: 0;
  border-radius: var(--radius);
  background: none;
  color: var(--accent-ink);
  font-size: 0.9375rem;
  text-decoration: underline;
  text-underline-offset: 0.2em;
}
.link:hover { text-decoration-thickness: 2px; }
.plain:hover { box-shadow: inset 0 0 0 1px var(--border); }

.person {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0.5rem 1rem;
  margin-block: 1.5rem;
  padding-block: 0.75rem;
  border-block: 1px solid var(--line);
}
.person p { margin: 0; }
.person .quiet { display: block; }

fieldset { min-inline-size: 0; margin: 0 0 1.5rem; padding: 0; border: 0; }
legend { margin-block-end: 0.5rem; padding: 0; font-weight: 650; }
.scope { display: grid; grid-template-columns: auto 1fr; gap: 0 0.75rem; align-items: start; min-block-size: 2.75rem; padding-block: 0.625rem; cursor: pointer; }
.scope input { inline-size: 1.25rem; block-size: 1.25rem; margin: 0.125rem 0 0; accent-color: var(--accent-ink); }
.tag { display: inline-block; margin-inline-start: 0.375rem; padding-inline: 0.5rem; border: 1px solid var(--border); border-radius: 1rem; color: var(--muted); font-size: 0.8125rem; font-weight: 550; }
.choice { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; margin-block-end: 1rem; }

dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; margin: 0 0 1rem; font-size: 0.9375rem; }
dt { color: var(--muted); }
dd { margin: 0; }
.facts { margin-block: 1.5rem 0; padding-block-start: 1rem; border-block-start: 1px solid var(--line); }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.9375em; }

section { margin-block-start: 2.5rem; }
.entry { display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: 0.75rem 1.5rem; padding-block: 1.25rem; border-block-start: 1px solid var(--line); }
.entry > div { flex: 1 1 18rem; min-inline-size: 0; }
.entry p, .entry dl { margin-block: 0.25rem 0; }
.entry ul { margin-block: 0.5rem; padding-inline-start: 1.25rem; list-style: disc; }
.entry li::marker { color: var(--muted); }

@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) {
  main, .button, .plain, .tag, .alert { border: 1px solid; }
  .button { forced-color-adjust: auto; border-width: 2px; }
  :focus-visible { outline-color: Highlight; }
}
@media print {
  :root { color-scheme: light; }
  body, main { padding: 0; background: none; box-shadow: none; }
  form, .site img { display: none; }
  main { max-inline-size: none; }
  .entry { break-inside: avoid; }
}
`;
