import { Option } from 'commander';

/** `--scope`: scopes with spaces between them. If the option is repeated, all scopes count. */
export function scopeOption(description: string): Option {
  return new Option('--scope <scope>', `${description}; for several, repeat the option or use spaces`).argParser(added);
}

function added(scope: string, before: string | undefined): string {
  return [before, scope].filter(Boolean).join(' ');
}
