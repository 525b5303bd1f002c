/** The command lines of occ in a text: what people and agents copy. */
import { parseArguments } from '@openbot/sessions/command-line';
import { OCC } from '../../src/cli/main.ts';

/** Lines of code blocks that start with `occ`, and inline code that does. Lines with placeholders are left out. */
export function findCommandLines(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^[ \t]*```\w*\n([\s\S]*?)^[ \t]*```/gm)].flatMap(([, block]) =>
    block!.split('\n').map((line) => line.trim().replace(/^\$ /, '')),
  );
  const inline = [...markdown.matchAll(/`(occ [^`\n]+)`/g)].map(([, code]) => code!);
  return [...blocks, ...inline].filter(isCommandLine).map((line) => line.split(/\s+#|\s{2,}/)[0]!);
}

/** In help a command stands in an indented line, two spaces before what is said of it. */
export function findHelpCommandLines(help: string): string[] {
  return help
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim().split(/\s{2,}/)[0]!)
    .filter(isCommandLine);
}

function isCommandLine(line: string): boolean {
  return /^occ( |$)/.test(line) && !/[<>[\]…]/.test(line);
}

/** Throws for a line that occ would refuse. */
export function parseCommandLine(line: string): void {
  const [, ...argv] = line.split(' | ')[0]!.split(' ');
  if (argv.length === 1 && ['--version', '--help', '--quickstart'].includes(argv[0]!)) return;
  parseArguments(
    OCC,
    argv.filter((word) => word !== '--help'),
  );
}
