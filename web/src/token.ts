/** The token that a link carries in its hash, which browsers send to nobody. */
export function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get("token");
}

/** A token as it can stand in a header; nothing where it cannot. */
export function validToken(token: string | null): string | null {
  return token !== null && /^[\x21-\x7e]+$/.test(token) ? token : null;
}
