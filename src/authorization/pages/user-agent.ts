type Row = readonly [pattern: RegExp, name: string];

/** In this order: nearly every browser also claims to be Safari, and many claim to be Chrome. */
const browsers: readonly Row[] = [
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:OPR|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
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
  return rows.find(([pattern]) => pattern.test(text))?.[1];
}
