// The page: its views, its theme, keys for all of it, and the state that a link holds.

import {post} from './api.js';
import {announce, button, el} from './dom.js';
import {profileTable} from './conventions.js';
import {Inspector} from './inspector.js';
import {Playground} from './playground.js';
import {decoded} from './state.js';

const NO_RANKING = 'The link does not hold a ranking.';
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

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address holds the state of the playground
  main.focus();
});

const isLink = () => location.hash.length > 1;
const linked = () => decoded(location.hash.slice(1));

async function begin() {
  showTheme();
  const start = await post('start');
  const playground = new Playground(start);
  const views = {Playground: (container) => playground.show(container)};
  if (start.session) {
    const inspector = new Inspector(start.session, (state, active) => { playground.open(state, active); return show('Playground', true); });
    views.Queries = (container) => inspector.show(container);
  }
  views.Conventions = (container) => {
    const body = el('div', {});
    container.replaceChildren(el('h2', {}, 'The ranking of the playground under every profile'), body);
    return profileTable(body, playground.alone(), start);
  };
  const tabs = Object.keys(views).map((name) => button(name, () => show(name), {'data-key': `view-${name}`}));
  document.getElementById('views').replaceChildren(...tabs);

  async function show(name, focus = false) {
    tabs.forEach((tab) => (tab.textContent === name ? tab.setAttribute('aria-current', 'page') : tab.removeAttribute('aria-current')));
    document.title = `${name} – rankworth explorer`;
    main.dataset.view = name;
    playground.hide();
    announce('');
    await views[name](main);
    if (focus) main.focus();
  }

  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches('input') || main.dataset.view !== 'Playground') return;
    const redo = event.key === 'y' || (event.key.toLowerCase() === 'z' && event.shiftKey);
    if (!redo && event.key !== 'z') return;
    event.preventDefault();
    playground.step(!redo);
  });
  window.addEventListener('hashchange', async () => {
    if (!isLink()) return;
    const state = await linked();
    if (!state) return announce(NO_RANKING);
    playground.hide(); // it is drawn once it is shown again
    playground.open(state);
    return show('Playground');
  });
  const [isLinked, state] = [isLink(), await linked()];
  if (state) playground.open(state);
  await show(start.session && !state ? 'Queries' : 'Playground');
  if (isLinked && !state) announce(NO_RANKING);
}

begin().catch((error) => main.replaceChildren(el('p', {role: 'alert'}, error.message)));
