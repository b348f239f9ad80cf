import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { endpointPath } from '../http/endpoint.ts';
import { type Asset, assetBase, iconAsset, logoAsset, type Site, stylesheetAsset } from '../pages/pages.ts';

/** The shared data of all pages, and their assets. */
export interface HostedSite {
  /** In no language yet. */
  readonly site: Omit<Site, 'texts'>;
  /** The icon of the browser's tab: the logo, if there is one. */
  readonly icon: Asset;
  readonly assets: readonly Asset[];
}

/** `directory`: the folder of the configuration file, which a relative path of the logo starts from. */
export function loadSite({ issuer, site_name, theme }: AuthorizationConfig, directory: string): HostedSite {
  const base = endpointPath(issuer, assetBase);
  const stylesheet = stylesheetAsset(theme.css, base);
  const logo = theme.logo === undefined ? undefined : logoAsset(readFileSync(resolve(directory, theme.logo)), base);
  const icon = logo ?? iconAsset(theme.css, base);
  return {
    site: {
      name: site_name ?? new URL(issuer).host,
      stylesheet: stylesheet.path,
      icon: icon.path,
      ...(logo && { logo: logo.path }),
    },
    icon,
    assets: [stylesheet, icon],
  };
}
