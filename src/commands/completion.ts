import { Argument, type Command } from 'commander';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { type CompletionNode, commandTree } from './completion/tree.ts';
import { zshScript } from './completion/zsh.ts';

/** Shell → the script that completes all commands. */
const shells: Readonly<Record<string, (places: readonly CompletionNode[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const INSTALL = `
To enable completion in every new shell:
  bash   gatehouse completion bash > ~/.local/share/bash-completion/completions/gatehouse
         (needs the package bash-completion; without it add to ~/.bashrc: source <(gatehouse completion bash))
  zsh    gatehouse completion zsh > "\${fpath[1]}/_gatehouse", with \`autoload -U compinit && compinit\` in ~/.zshrc
  fish   gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish
`;

/** `gatehouse completion SHELL`: prints a completion script, made from the registered commands. */
export function register(program: Command): void {
  program
    .command('completion')
    .description('print a script for shell completion of commands, options and files')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shells)))
    .addHelpText('after', INSTALL)
    .action((shell: string) => void process.stdout.write(shells[shell]?.(commandTree(program)) ?? ''));
}
