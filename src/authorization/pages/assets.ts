import { sha256 } from '../../base/secret.ts';
import { icon } from './icon.ts';
import { stylesheet } from './stylesheet.ts';

/** A file that the pages refer to. Its name contains a hash of its content, so browsers may cache it forever. */
export interface Asset {
  readonly path: string;
  readonly body: string | Uint8Array;
  readonly type: string;
}

/** The path of the assets, unless the configuration maps it elsewhere. */
export const assetBase = '/oauth2/assets';

/**
 * The headers of every asset. The sandbox protects against a logo that someone opens directly: its SVG is then a document, and
 * its scripts would run in the login origin.
 */
export const assetHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export function stylesheetAsset(theme: Readonly<Record<string, string>> = {}, base = assetBase): Asset {
  return named(base, 'style', 'css', 'text/css; charset=utf-8', stylesheet(theme));
}

/** The icon of the browser's tab, if there is no logo. */
export function iconAsset(theme: Readonly<Record<string, string>> = {}, base = assetBase): Asset {
  return named(base, 'icon', 'svg', 'image/svg+xml', icon(theme));
}

/** Reads the logo from its file's bytes. Undefined if they are not SVG or PNG. */
export function logoAsset(bytes: Uint8Array, base = assetBase): Asset | undefined {
  const format = logoFormats.find(({ holds }) => holds(Buffer.from(bytes)));
  return format && named(base, 'logo', format.extension, format.type, bytes);
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const logoFormats = [
  { extension: 'png', type: 'image/png', holds: (bytes: Buffer) => bytes.subarray(0, 8).equals(pngSignature) },
  { extension: 'svg', type: 'image/svg+xml', holds: (bytes: Buffer) => isSvg(bytes.toString('utf8')) },
] as const;

/** Only an XML declaration, comments and a doctype may come before the root. */
function isSvg(text: string): boolean {
  const root = text
    .replace(/^\ufeff/, '')
    .replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^[>]*(?:\[[^\]]*\])?[^>]*>/gi, '');
  return /^\s*<svg[\s>/]/.test(root);
}

function named(base: string, name: string, extension: string, type: string, body: string | Uint8Array): Asset {
  const hash = sha256(body).toString('base64url').slice(0, 16);
  return { path: `${base}/${name}.${hash}.${extension}`, body, type };
}
