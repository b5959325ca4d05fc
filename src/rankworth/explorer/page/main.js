// The page: its views, its theme, keys for all of it, and the state that a link holds.

import {post} from './api.js';
import {announce, button, copy, el} from './dom.js';
import {profileTable} from './conventions.js';
import {Inspector} from './inspector.js';
import {Playground} from './playground.js';
import {decoded} from './state.js';

const NO_RANKING = 'The link does not hold a ranking.';
const THEMES = ['auto', 'light', 'dark'];
const main = document.getElementById('main');

function showTheme() {
  const theme = localStorage.getItem('rankworth-theme') ?? 'auto';
  const toggle = document.getElementById('theme');
  document.documentElement.dataset.theme = theme;
  toggle.title = `Theme: ${theme}`;
  toggle.setAttribute('aria-label', toggle.title);
}

document.getElementById('theme').addEventListener('click', () => {
  const now = localStorage.getItem('rankworth-theme') ?? 'auto';
  localStorage.setItem('rankworth-theme', THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
  showTheme();
  announce(document.getElementById('theme').title);
});

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address holds the state of the playground
  main.focus();
});

const isLink = () => location.hash.length > 1;
const linked = () => decoded(location.hash.slice(1));

/** The view of queries where no runs were given: what it is for, and how to get there. */
function noRuns(container, tools, play) {
  const command = (line) => el('li', {}, el('code', {}, line), button('Copy', () => copy(line, 'Command'), {class: 'quiet', 'aria-label': `Copy ${line}`}));
  tools.replaceChildren();
  container.replaceChildren(el('div', {class: 'no-runs'}, el('h2', {}, 'No runs are open'),
    el('p', {}, 'With judgements and runs, this page lists the queries that lose most, shows both rankings side by side, and says what would raise each value. Start it with yours, or with the collection that comes with rankworth:'),
    el('ul', {class: 'commands'}, ['rankworth explore qrels.txt bm25.run dense.run', 'rankworth demo --explore'].map(command)),
    button('Open the playground', play, {class: 'primary', 'data-key': 'play'})));
}

async function begin() {
  showTheme();
  const start = await post('start');
  const playground = new Playground(start, (name) => show(name, true));
  const views = {};
  if (start.session) {
    const inspector = new Inspector(start.session, (state) => { playground.open(state); return show('Playground', true); });
    views.Queries = (container, tools) => inspector.show(container, tools);
  } else {
    views.Queries = (container, tools) => noRuns(container, tools, () => show('Playground', true));
  }
  views.Playground = (container, tools) => playground.show(container, tools);
  views.Conventions = (container, tools) => {
    const body = el('div', {});
    tools.replaceChildren();
    container.replaceChildren(el('div', {class: 'conventions'}, el('h2', {}, 'The ranking under every profile'), body));
    return profileTable(body, playground.alone(), start, playground.name);
  };
  const tabs = Object.keys(views).map((name) => button(name, () => show(name), {'data-key': `view-${name}`}));
  document.getElementById('views').replaceChildren(...tabs);

  async function show(name, focus = false) {
    tabs.forEach((tab) => (tab.textContent === name ? tab.setAttribute('aria-current', 'page') : tab.removeAttribute('aria-current')));
    document.title = `${name} – rankworth explorer`;
    main.dataset.view = name;
    playground.hide();
    announce('');
    await views[name](main, document.getElementById('tools'));
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
