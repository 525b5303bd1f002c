export interface TextLine {
  readonly text: string;
  /** Part of a fenced block, its fences included. Nothing in it is a directive. */
  readonly isCode: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The lines of a Markdown text. A block whose end is missing goes on to the end, as renderers have it. */
export function splitLines(text: string): readonly TextLine[] {
  let open: string | undefined;
  return text.split('\n').map((line) => {
    const fence = FENCE.exec(line)?.[1];
    if (open === undefined) {
      open = fence;
      return { text: line, isCode: fence !== undefined };
    }
    if (fence?.startsWith(open) && line.trim() === fence) open = undefined;
    return { text: line, isCode: true };
  });
}
