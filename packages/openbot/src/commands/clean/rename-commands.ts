/** A text of occ, with its commands as they are typed here. */
export function renameCommands(text: string): string {
  return text.replace(/\bocc (?=(?:edit|clone|list|info|restore)\b)/g, 'openbot clean ');
}
