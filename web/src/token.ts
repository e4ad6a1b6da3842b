/** The token in a link's hash, which browsers never send. */
export function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get("key");
}

/** The token if it is valid in a header, or nothing. */
export function validToken(token: string | null): string | null {
  return token !== null && /^[\x21-\x7e]+$/.test(token) ? token : null;
}
