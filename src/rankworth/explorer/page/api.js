// Requests to the local server; an answer that a later request has overtaken is dropped.

import {announce} from './dom.js';

const PAUSE = 150; // milliseconds
const pending = new Map();
let waiting = 0;

/** Screen readers learn that the page waits for answers, or will request some. */
export function busy(change) {
  waiting += change;
  document.getElementById('main').setAttribute('aria-busy', String(waiting > 0));
}

/** An action that is done after a pause in which it is not scheduled again. */
export class Later {
  timer = null;

  cancel() {
    if (this.timer) busy(-1);
    clearTimeout(this.timer);
    this.timer = null;
  }

  schedule(action) {
    this.cancel();
    busy(1);
    this.timer = setTimeout(async () => {
      this.timer = null;
      await action().catch((error) => announce(error.message));
      busy(-1);
    }, PAUSE);
  }
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

/** Ask a handler; null where a later request of the channel went out. */
export async function post(name, body = {}, channel = name) {
  pending.get(channel)?.abort();
  const {signal} = pending.set(channel, new AbortController()).get(channel);
  busy(1);
  try {
    const headers = {'Content-Type': 'application/json'};
    return await answer(await fetch(`/api/${name}`, {method: 'POST', headers, body: JSON.stringify(body), signal}));
  } catch (error) {
    if (error.name === 'AbortError') return null;
    if (error instanceof TypeError) throw new Refused({slug: '', text: 'the server does not answer', remedy: 'is rankworth explore still running?'});
    throw error;
  } finally {
    busy(-1);
  }
}
