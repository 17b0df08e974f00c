// The page's only way out: JSON from where it came from.

export class Refusal extends Error {
  constructor(status, told) {
    super(told.message || "The server did not answer as expected.");
    this.status = status;
    this.code = told.error || "unknown";
    this.suggestion = told.suggestion || "Load the page anew.";
  }
}

async function ask(path, options) {
  let reply;
  try {
    reply = await fetch(path, { credentials: "same-origin", redirect: "error", ...options });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Refusal(0, {
      error: "unreachable",
      message: "The server does not answer.",
      suggestion: "See whether research-agent serve --http is still running; this page asks again by itself.",
    });
  }
  let told = {};
  try {
    told = await reply.json();
  } catch {
    told = {};
  }
  if (reply.status === 401) {
    throw new Refusal(401, {
      error: "signed_out", message: "Your session has ended.", suggestion: "Load the page anew to sign in.",
    });
  }
  if (!reply.ok) throw new Refusal(reply.status, told);
  return told;
}

export function get(path, params = {}, signal = undefined) {
  const given = Object.entries(params).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(given).toString();
  return ask(query ? `${path}?${query}` : path, { signal, headers: { Accept: "application/json" } });
}

export function post(path, body, signal = undefined) {
  return ask(path, {
    method: "POST", signal, body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", Accept: "application/json" },
  });
}

export const part = encodeURIComponent;
export const aborted = (failure) => failure.name === "AbortError";
