// Requests to the local server; an answer that a later request has overtaken is dropped.

const pending = new Map();
let waiting = 0;

/** Whether answers are still to come is said to screen readers. */
function count(change) {
  waiting += change;
  document.getElementById('main').setAttribute('aria-busy', String(waiting > 0));
}

/** An answer of the server that is an error: what is wrong and what helps. */
export class Refused extends Error {
  constructor({slug, text, remedy}) {
    super(text);
    Object.assign(this, {slug, remedy});
  }
}

async function answer(response) {
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/json')) throw new Refused({slug: '', text: await response.text(), remedy: ''});
  const body = await response.json();
  if (!response.ok) throw new Refused(body.error);
  return body;
}

async function latest(channel, url, options) {
  pending.get(channel)?.abort();
  const controller = new AbortController();
  pending.set(channel, controller);
  count(1);
  try {
    return await answer(await fetch(url, {...options, signal: controller.signal}));
  } catch (error) {
    if (error.name === 'AbortError') return null;
    if (error instanceof TypeError) throw new Refused({slug: '', text: 'the server does not answer', remedy: 'is rankworth explore still running?'});
    throw error;
  } finally {
    count(-1);
  }
}

/** Ask a handler about a state; null where a later request of the channel went out. */
export const post = (name, body, channel = name) =>
  latest(channel, `/api/${name}`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});

/** Ask a handler by parameters. */
export const get = (name, parameters = {}, channel = name) =>
  latest(channel, `/api/${name}?${new URLSearchParams(parameters)}`, {});
