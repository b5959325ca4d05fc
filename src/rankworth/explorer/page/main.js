// The page: its views, its theme, keys for all of it, and the state that a link holds.

import {get} from './api.js';
import {announce, button, el} from './dom.js';
import {profileTable} from './conventions.js';
import {Inspector} from './inspector.js';
import {Playground} from './playground.js';
import {decoded} from './state.js';

const THEMES = ['auto', 'light', 'dark'];
const main = document.getElementById('main');

function showTheme() {
  const theme = localStorage.getItem('rankworth-theme') ?? 'auto';
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = `Theme: ${theme}`;
}

document.getElementById('theme').addEventListener('click', () => {
  const now = localStorage.getItem('rankworth-theme') ?? 'auto';
  localStorage.setItem('rankworth-theme', THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
  showTheme();
});

async function begin() {
  showTheme();
  const start = await get('start');
  const playground = new Playground(start);
  const linked = location.hash.length > 1 ? await decoded(location.hash.slice(1)) : null;
  if (location.hash.length > 1 && !linked) announce('The link does not hold a ranking; this is the first example.');
  if (linked) await playground.open(linked);
  const inspector = start.session ? new Inspector(start.session, async (state) => { await playground.open(state); show('Playground'); }) : null;
  const views = {
    Playground: (container) => playground.show(container),
    ...(inspector ? {Queries: (container) => inspector.show(container)} : {}),
    Conventions: (container) => {
      const body = el('div', {});
      container.replaceChildren(el('h2', {}, 'The ranking of the playground under every profile'), body);
      return profileTable(body, playground.alone(), start);
    },
  };
  const tabs = Object.keys(views).map((name) => button(name, () => show(name), {'data-key': `view-${name}`}));
  document.getElementById('views').replaceChildren(...tabs);

  function show(name) {
    tabs.forEach((tab) => tab.toggleAttribute('aria-current', false) || (tab.textContent === name && tab.setAttribute('aria-current', 'page')));
    document.title = `${name} – rankworth explorer`;
    main.dataset.view = name;
    return views[name](main);
  }

  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches('input')) return;
    const redo = event.key === 'y' || (event.key.toLowerCase() === 'z' && event.shiftKey);
    if (!redo && event.key !== 'z') return;
    event.preventDefault();
    playground.step(!redo);
  });
  window.addEventListener('hashchange', async () => {
    const state = await decoded(location.hash.slice(1));
    if (state) await playground.open(state);
  });
  await show(inspector && !linked ? 'Queries' : 'Playground');
}

begin().catch((error) => main.replaceChildren(el('p', {role: 'alert'}, error.message)));
