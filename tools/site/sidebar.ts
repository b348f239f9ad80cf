// The sidebar is the index of docs/README.md: a group for each of its tables, in its order.

/** One entry, as VitePress reads it. */
export interface SidebarItem {
  readonly text: string;
  /** From the root of the site. */
  readonly link: string;
}

export interface SidebarGroup {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly SidebarItem[];
}

const TABLE = /^\|.*\|\n\|[-| :]+\|\n(?:\|.*\|\n?)*/gm;
const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

function firstCell(row: string): string {
  return row.split('|')[1]?.trim() ?? '';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param linkOf where a link of the page leads on the site. */
export function groupsOf(page: string, linkOf: (href: string) => string): readonly SidebarGroup[] {
  return [...page.matchAll(TABLE)].map(([table]) => {
    const [head = '', , ...rows] = table.trimEnd().split('\n');
    const links = rows.flatMap((row) => [...firstCell(row).matchAll(LINK)]);
    return {
      text: capital(firstCell(head)),
      items: links.map(([, text = '', href = '']) => ({ text: capital(text), link: linkOf(href) })),
    };
  });
}
