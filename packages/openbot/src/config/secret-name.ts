/** Whether a setting that no schema describes holds a secret. */
export function isSecretName(name: string): boolean {
  return /token|secret|password|credential|api_?key/i.test(name);
}
