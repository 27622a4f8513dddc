// Colours of the 3D view and of the curves; the page's own are in style.css.

const light = {
  background: '#f4f5f3',
  ground: '#dfe2df',
  grid: '#dcdfdc',
  gridStrong: '#c6cac6',
  floorGrid: '#c3c9c4',
  edge: '#20262b',
  joint: '#3d464d',
  driven: '#7d6137',
  bearing: '#aab0b3',
  force: '#c4432b',
  spring: '#5a6870',
  glow: '#3a2a08',
  bodies: ['#b9bebc', '#3f7ea6', '#d08a4a', '#5f9a74', '#a9678f', '#c9a93f', '#5aa5a8', '#8a7bb5', '#b5665a', '#7d8f55'],
};

const dark = {
  background: '#15191d',
  ground: '#262c32',
  grid: '#262c31',
  gridStrong: '#39424a',
  floorGrid: '#3c464e',
  edge: '#05080a',
  joint: '#c4ccd2',
  driven: '#d2b07c',
  bearing: '#6d7880',
  force: '#ff8062',
  spring: '#a8b6bf',
  glow: '#4a3510',
  bodies: ['#59636b', '#5b9fca', '#e09c5c', '#76b38b', '#c583ac', '#d9bc58', '#70bcc0', '#a395d0', '#d07f72', '#9bad70'],
};

const curves = {
  light: ['#2c6e99', '#c2641d', '#3f8358', '#96508c', '#a88413', '#2f8e92', '#6a5aa6', '#a14b3f'],
  dark: ['#64aedb', '#e9a05b', '#7cc494', '#d08fc4', '#dcc158', '#6fcacd', '#a99be0', '#e08b7c'],
};

export function palette(theme) {
  const p = theme === 'dark' ? dark : light;
  const of = (i) => (i === 0 ? p.bodies[0] : p.bodies[1 + ((i - 1) % (p.bodies.length - 1))]);
  return { ...p, body: of, journal: of };
}

export const curveColour = (theme, i) => curves[theme === 'dark' ? 'dark' : 'light'][i % 8];

export function startTheme() {
  let stored = null;
  try {
    stored = localStorage.getItem('jounce-theme');
  } catch {
    /* a page from disk may have no storage */
  }
  return stored ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

export function keepTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('jounce-theme', theme);
  } catch {
    /* not kept then */
  }
}
