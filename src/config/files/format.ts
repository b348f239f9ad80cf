import { styleText } from 'node:util';
import { printableExcerpt, printableValue } from '../../base/printable.ts';
import type { Problem } from '../words/problem.ts';

/**
 * `file:line:column: message` with the line, a caret and a hint, for people and for editors. In color only if the stream is a
 * terminal.
 */
export function formatProblems(problems: readonly Problem[], stream: NodeJS.WritableStream = process.stderr): string {
  return problems.map((problem) => `${formatProblem(problem, stream)}\n`).join('');
}

function formatProblem(problem: Problem, stream: NodeJS.WritableStream): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) => styleText(style, text, { stream });
  const color = problem.severity === 'error' ? 'red' : 'yellow';
  const lines = [
    `${paint('bold', `${formatPlace(problem)}:`)} ${paint(color, `${problem.severity}:`)} ${printableValue(problem.message)}`,
  ];
  if (problem.frame !== undefined) lines.push(paint('dim', printableExcerpt(problem.frame)));
  if (problem.hint !== undefined) lines.push(`        ${paint('cyan', printableValue(problem.hint))}`);
  return lines.join('\n');
}

function formatPlace({ file, line, column }: Problem): string {
  return line === 0 ? 'environment' : `${printableValue(file)}:${line}:${column}`;
}

/** Workflow commands, which GitHub shows beside the line. */
export function formatForGithub(problems: readonly Problem[]): string {
  return problems
    .map((problem) => `::${problem.severity} ${githubPlace(problem)}::${escapeData(githubText(problem))}\n`)
    .join('');
}

function githubPlace({ file, line, column }: Problem): string {
  return line === 0 ? 'title=environment' : `file=${escapeProperty(printableValue(file))},line=${line},col=${column}`;
}

function githubText({ message, hint }: Problem): string {
  return printableValue(hint === undefined ? message : `${message} (${hint})`);
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
