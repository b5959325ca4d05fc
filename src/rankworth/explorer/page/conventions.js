// The ranking under every profile, and why a profile gives another value.

import {post} from './api.js';
import {announce, button, el, id, number, redraw, signed, table, text} from './dom.js';

/** The table of profiles for the ranking of a query or example; each cell opens the reasons. */
export async function profileTable(body, state, start, name) {
  const answer = await post('profiles', state).catch((error) => announce(error.message));
  if (!answer) return;
  const reasons = el('div', {class: 'reasons', role: 'region', 'aria-label': 'Why the value differs', tabindex: -1},
    el('p', {class: 'hint'}, 'Choose a value to see which settings of its profile make it.'));
  const sentences = new Map(start.profiles.map((profile) => [profile.name, profile.sentence]));
  const mine = answer.rows.find((row) => row.profile === state.profile)?.values ?? [];
  const rows = answer.rows.map((row) => [
    el('span', {title: sentences.get(row.profile)}, id(row.profile)),
    ...answer.measures.map((measure, index) => {
      const value = row.values?.[index] ?? null;
      const differs = value !== null && mine[index] !== undefined && mine[index] !== null && value !== mine[index];
      const label = row.error ? 'refused' : number(value);
      return button(differs ? `${label} ${signed(value - mine[index])}` : label, () => explain(reasons, state, row.profile, index),
        {class: `link${differs ? ' differs' : ''}`, 'aria-label': `${measure} by ${row.profile}: ${label}; why?`});
    }),
  ]);
  const values = answer.measures.map((_, index) => new Set(answer.rows.map((row) => row.values?.[index] ?? null).filter((value) => value !== null)).size);
  redraw(body,
    el('p', {class: 'facts-line'}, text(name), ' · ', answer.measures.map((measure, index) => `${measure}: ${values[index]} distinct ${values[index] === 1 ? 'value' : 'values'}`).join(', '), ` · differences are from ${state.profile}`),
    el('div', {class: 'profiles'}, reasons,
      table('The ranking under every profile', [{name: 'profile'}, ...answer.measures.map((measure) => ({name: measure, number: true}))], rows)));
}

async function explain(container, state, other, lead) {
  const answer = await post('difference', {...state, other, lead}).catch((error) => announce(error.message));
  if (!answer) return;
  const shown = ({value, error}) => error ?? number(value);
  const acts = answer.rows.filter((row) => row.error || row.value !== answer.here.value);
  const rest = answer.rows.filter((row) => !acts.includes(row));
  const list = (rows) => el('ul', {}, rows.map((row) => el('li', {}, el('b', {}, row.setting), `: ${row.there} (here ${row.here})`,
    acts.includes(row) ? `; alone it gives ${shown(row)}` : null, row.why ? ` — ${row.why}` : null)));
  redraw(container,
    el('h3', {}, `${answer.measure} by ${answer.profile}: ${shown(answer.there)}, here ${shown(answer.here)}`),
    el('p', {}, answer.sentence),
    acts.length ? [el('p', {}, 'What it does differently, and matters for this ranking:'), list(acts)]
      : el('p', {}, answer.there.error ? 'It refuses this input.' : 'Nothing that it does differently matters for this ranking.'),
    rest.length ? el('details', {}, el('summary', {}, `${rest.length} settings that differ and change nothing here`), list(rest)) : null);
  container.focus();
}
