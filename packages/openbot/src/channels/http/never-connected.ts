/** Failures before the first byte of a request: of what was to be sent nothing can have arrived. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** @param code that of the error, as Node says it */
export function isNeverConnected(code: string): boolean {
  return NEVER_CONNECTED.test(code);
}
