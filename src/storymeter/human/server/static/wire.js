// Talking to the server. An answer is sent until it is acknowledged; sending it twice does no harm.

export const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

async function call(url, body) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 20000);
  try {
    const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(url, { ...options, signal: stop.signal, cache: "no-store" });
    return { status: response.status, data: await response.json() };
  } finally {
    clearTimeout(timer);
  }
}

// Until the server has answered for good: no connection and "not now" are tried again, ever more slowly.
export async function insist(url, body, trouble) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const reply = await call(url, body);
      if (![502, 503, 504, 507].includes(reply.status)) return reply;
      trouble(reply.data.message ?? "");
    } catch {
      trouble(null);
    }
    await pause(Math.min(8, 0.5 * 2 ** attempt));
  }
}

// Once; whether it got through is all that is told.
export async function attempt(url, body) {
  try {
    return (await call(url, body)).status === 200;
  } catch {
    return false;
  }
}
