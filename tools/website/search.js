// Searches the headings, options and keys of all pages (HEADINGS, in headings.js) for the words that
// are typed. On a narrow screen the menu begins closed.
'use strict';

const MOST = 30;
const top_ = document.currentScript.dataset.top;
const input = document.getElementById('search');
const list = document.getElementById('found');

// The lower the number, the better: the whole text, its beginning, or any place.
function rank(text, typed) {
  const lower = text.toLowerCase();
  return lower.replace(/^-+/, '') === typed.replace(/^-+|=$/g, '') ? 0 : lower.startsWith(typed) ? 1 : 2;
}

function found(typed) {
  const words = typed.split(/\s+/).filter(Boolean);
  return HEADINGS
      .filter(([text, , page]) => words.every((word) => `${text} ${page}`.toLowerCase().includes(word.replace(/=$/, ''))))
      .map((each, place) => [rank(each[0], typed), place, each])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .slice(0, MOST)
      .map((each) => each[2]);
}

function line([text, place, page]) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = top_ + place;
  link.append(text, Object.assign(document.createElement('span'), {textContent: page}));
  return item;
}

function show() {
  const typed = input.value.trim().toLowerCase();
  list.replaceChildren(...(typed ? found(typed) : []).map(line));
  if (typed && !list.firstChild) {
    list.append(Object.assign(document.createElement('li'), {textContent: 'No heading has these words.'}));
  }
  list.hidden = !typed;
}

input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape') {
    input.value = '';
    show();
  } else if (event.key === 'Enter' && document.activeElement === input) {
    list.querySelector('a')?.click();
  }
});
list.addEventListener('click', () => { list.hidden = true; });
document.getElementById('menu').open = !matchMedia('(max-width: 50rem)').matches;
