type Row = readonly [pattern: RegExp, name: string];

/** With the major version. In this order: nearly every browser also claims to be Safari, and many claim to be Chrome. */
const browsers: readonly Row[] = [
  [/\b(?:Edg|EdgA|EdgiOS)\/(\d+)/, 'Edge'],
  [/\b(?:OPR|OPT)\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+).*\bSafari\//, 'Safari'],
];

const platforms: readonly Row[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const longest = 80;

export interface Device {
  /** With its version: `Firefox 143`. */
  readonly browser: string;
  readonly platform: string;
}

/** Browser and platform if both are known, otherwise the header itself, cut to 80 characters. */
export function readUserAgent(userAgent: string): Device | string {
  const [browser, platform] = [named(browsers, userAgent), named(platforms, userAgent)];
  if (browser !== undefined && platform !== undefined) return { browser, platform };
  return userAgent.length > longest ? `${userAgent.slice(0, longest)}…` : userAgent;
}

function named(rows: readonly Row[], text: string): string | undefined {
  for (const [pattern, name] of rows) {
    const [found, version] = pattern.exec(text) ?? [];
    if (found !== undefined) return version === undefined ? name : `${name} ${version}`;
  }
  return undefined;
}
