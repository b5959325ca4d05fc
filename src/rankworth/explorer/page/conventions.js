// The ranking under every profile, and why one of them gives another value.

import {post} from './api.js';
import {announce, button, el, id, number, redraw, signed, table} from './dom.js';

/** The table of profiles; each cell opens the reasons. */
export async function profileTable(body, state, start) {
  const found = await post('profiles', state).catch((error) => announce(error.message));
  if (!found) return;
  const reasons = el('div', {role: 'region', 'aria-label': 'Why the value differs', tabindex: -1});
  const sentences = new Map(start.profiles.map((profile) => [profile.name, profile.sentence]));
  const mine = found.rows.find((row) => row.profile === state.profile)?.values ?? [];
  const rows = found.rows.map((row) => [
    el('span', {title: sentences.get(row.profile)}, id(row.profile)),
    ...found.measures.map((measure, place) => {
      const value = row.values?.[place] ?? null;
      const differs = value !== null && mine[place] !== undefined && mine[place] !== null && value !== mine[place];
      const label = row.error ? 'refused' : number(value);
      return button(differs ? `${label} ${signed(value - mine[place])}` : label, () => explain(reasons, state, row.profile, place),
        {class: `link${differs ? ' differs' : ''}`, 'aria-label': `${measure} by ${row.profile}: ${label}; why?`});
    }),
  ]);
  const values = found.measures.map((_, place) => new Set(found.rows.map((row) => row.values?.[place] ?? null).filter((value) => value !== null)).size);
  redraw(body,
    el('p', {}, found.measures.map((measure, place) => `${measure}: ${values[place]} distinct ${values[place] === 1 ? 'value' : 'values'}`).join('; '), `. Differences are from ${state.profile}. A cell says why.`),
    reasons,
    table('The ranking under every profile', [{name: 'profile'}, ...found.measures.map((name) => ({name, number: true}))], rows));
}

async function explain(container, state, other, lead) {
  const found = await post('difference', {...state, other, lead}).catch((error) => announce(error.message));
  if (!found) return;
  const shown = ({value, error}) => error ?? number(value);
  const acts = found.rows.filter((row) => row.error || row.value !== found.here.value);
  const rest = found.rows.filter((row) => !acts.includes(row));
  const list = (rows) => el('ul', {}, rows.map((row) => el('li', {}, el('b', {}, row.setting), `: ${row.there} (here ${row.here})`,
    acts.includes(row) ? `; alone it gives ${shown(row)}` : null, row.why ? ` — ${row.why}` : null)));
  redraw(container,
    el('h3', {}, `${found.measure} by ${found.profile}: ${shown(found.there)}, here ${shown(found.here)}`),
    el('p', {}, found.sentence),
    acts.length ? [el('p', {}, 'What it does differently, and matters for this ranking:'), list(acts)]
      : el('p', {}, found.there.error ? 'It refuses this input.' : 'Nothing that it does differently matters for this ranking.'),
    rest.length ? el('details', {}, el('summary', {}, `${rest.length} settings that differ and change nothing here`), list(rest)) : null);
  container.focus();
}
