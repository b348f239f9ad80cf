import { sectionsOf } from './changelog.ts';
import { withWorkingLinks } from './links.ts';
import type { Names } from './names.ts';
import { tagsOf } from './names.ts';

/**
 * The notes of a release: its section of the changelog, and how to fetch and verify it. Throws if there is no section.
 */
export function notesOf(changelog: string, version: string, names: Names): string {
  const section = sectionsOf(changelog).find((each) => each.version === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## [${version}] - DATE"`);
  const body = withWorkingLinks(section.body, { file: 'CHANGELOG.md', version, names, isHere: () => false });
  return `${body}\n\n${fetching(version, names)}`;
}

function fetching(version: string, names: Names): string {
  const [image = ''] = tagsOf(names, version);
  return [
    '## Fetch it',
    '',
    '```sh',
    `docker pull ${image}`,
    `npm install --global gatehouse-oauth@${version}`,
    `helm install gatehouse oci://${names.charts}/gatehouse --version ${version} --values values.yaml`,
    '```',
    '',
    'The repository signs the image, the chart and each file below. Verify them before you use them:',
    '',
    '```sh',
    `gh attestation verify oci://${image} --repo ${names.repository}`,
    `gh attestation verify gatehouse-oauth-${version}.tgz --repo ${names.repository}`,
    `cosign verify ${image} --certificate-oidc-issuer https://token.actions.githubusercontent.com \\`,
    `  --certificate-identity ${names.home}/.github/workflows/release.yml@refs/tags/v${version}`,
    '```',
    '',
  ].join('\n');
}
