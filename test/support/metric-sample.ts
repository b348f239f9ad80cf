/** The sum of a metric's samples that have these labels. */
export async function sample(
  adminUrl: string,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && wanted.every((each) => line.includes(each)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
