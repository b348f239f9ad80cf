/** Where a release is published. All names follow from the repository, so a fork publishes under its own names. */
export interface Names {
  /** `OWNER/REPOSITORY`, as the forge spells it. */
  readonly repository: string;
  /** The address of the repository in a browser. */
  readonly home: string;
  readonly registry: string;
  /** The image without its registry and tag. OCI names are lowercase. */
  readonly image: string;
  /** The folder of the registry that has the chart. */
  readonly charts: string;
}

const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+$/;

/** Read from the variables that a forge's runner sets. Throws with the variable that is missing or wrong. */
export function namesFrom(env: NodeJS.ProcessEnv): Names {
  const { GITHUB_REPOSITORY: repository = '', GITHUB_SERVER_URL: server = 'https://github.com' } = env;
  if (!REPOSITORY.test(repository))
    throw new Error(
      `GITHUB_REPOSITORY is ${JSON.stringify(repository)}: set it to OWNER/REPOSITORY, under which the release is published`,
    );
  const registry = env.REGISTRY ?? 'ghcr.io';
  const [owner = ''] = repository.toLowerCase().split('/');
  return {
    repository,
    home: `${server}/${repository}`,
    registry,
    image: repository.toLowerCase(),
    charts: `${registry}/${owner}/charts`,
  };
}

/** The tags of an image. A version with a suffix, such as 1.0.0-rc.1, never becomes `latest`. */
export function tagsOf({ registry, image }: Names, version: string): readonly string[] {
  const tags = version.includes('-') ? [version] : [version, 'latest'];
  return tags.map((tag) => `${registry}/${image}:${tag}`);
}

/** Lines of `key=value`, in the form in which a workflow step passes them to later steps. */
export function outputs(names: Names, version: string): string {
  const { registry, image, charts } = names;
  const values = { version, registry, image: `${registry}/${image}`, charts, tags: tagsOf(names, version).join(',') };
  return Object.entries(values)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}
