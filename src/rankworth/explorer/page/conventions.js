// The ranking under every profile, and why a profile gives another value.

import {post} from './api.js';
import {announce, button, el, id, number, redraw, select, signed, table, text} from './dom.js';

/** The table of profiles for the ranking of a query or example; each cell opens the reasons. */
export async function profileTable(body, state, start, name) {
  const answer = await post('profiles', state).catch((error) => announce(error.message));
  if (!answer) return;
  const reasons = el('div', {class: 'reasons', role: 'region', 'aria-label': 'Why the value differs', tabindex: -1},
    el('p', {class: 'hint'}, 'Choose a value to see which settings of its profile make it.'));
  const sentences = new Map(start.profiles.map((profile) => [profile.name, profile.sentence]));
  const mine = answer.rows.find((row) => row.profile === state.profile)?.values ?? [];
  const groups = new Map(); // by their values, in the order of the profiles
  answer.rows.forEach((row) => { const key = JSON.stringify(row.values ?? row.error); groups.set(key, [...(groups.get(key) ?? []), row]); });
  const isMine = (group) => group.some((row) => row.profile === state.profile);
  const sorted = [...groups.values()].sort((one, other) => isMine(other) - isMine(one) || !one[0].values - !other[0].values || other.length - one.length);
  const rows = sorted.map((group) => [
    el('span', {class: 'names'}, group.flatMap((row, index) => [index ? ', ' : '', el('span', {title: sentences.get(row.profile)}, id(row.profile))])),
    ...answer.measures.map((measure, index) => {
      const [row] = group;
      const value = row.values?.[index] ?? null;
      const differs = value !== null && mine[index] !== undefined && mine[index] !== null && value !== mine[index];
      const label = row.error ? 'refused' : number(value);
      return button(differs ? `${label} ${signed(value - mine[index])}` : label, () => explain(reasons, state, group.map((each) => each.profile), index),
        {class: `link${differs ? ' differs' : ''}`, 'aria-label': `${measure} by ${group.map((each) => each.profile).join(', ')}: ${label}; why?`});
    }),
  ]);
  const values = answer.measures.map((_, index) => new Set(answer.rows.map((row) => row.values?.[index] ?? null).filter((value) => value !== null)).size);
  redraw(body,
    el('p', {class: 'facts-line'}, text(name), ' · ', answer.measures.map((measure, index) => `${measure}: ${values[index]} distinct ${values[index] === 1 ? 'value' : 'values'}`).join(', '), ` · differences are from ${state.profile}`),
    el('div', {class: 'profiles'}, reasons,
      table('The ranking under every profile', [{name: 'profiles'}, ...answer.measures.map((measure) => ({name: measure, number: true}))], rows)));
}

/** Why the value differs by a profile; others of the same value can be chosen. */
async function explain(container, state, profiles, lead, other = profiles[0]) {
  const answer = await post('difference', {...state, other, lead}).catch((error) => announce(error.message));
  if (!answer) return;
  const shown = ({value, error}) => error ?? number(value);
  const acts = answer.rows.filter((row) => row.error || row.value !== answer.here.value);
  const rest = answer.rows.filter((row) => !acts.includes(row));
  const list = (rows) => el('ul', {}, rows.map((row) => el('li', {}, el('b', {}, row.setting), `: ${row.there} (here ${row.here})`,
    acts.includes(row) ? `; alone it gives ${shown(row)}` : null, row.why ? ` — ${row.why}` : null)));
  redraw(container,
    profiles.length > 1 ? el('p', {class: 'small'}, select(profiles, other, (chosen) => explain(container, state, profiles, lead, chosen), {'aria-label': 'Profile', 'data-key': 'profile'}), ` one of ${profiles.length} with these values`) : null,
    el('h3', {}, `${answer.measure} by ${answer.profile}: ${shown(answer.there)}, here ${shown(answer.here)}`),
    el('p', {}, answer.sentence),
    acts.length ? [el('p', {}, 'What it does differently, and matters for this ranking:'), list(acts)]
      : el('p', {}, answer.there.error ? 'It refuses this input.' : 'Nothing that it does differently matters for this ranking.'),
    rest.length ? el('details', {}, el('summary', {}, `${rest.length} settings that differ and change nothing here`), list(rest)) : null);
  if (!container.contains(document.activeElement)) container.focus();
}
