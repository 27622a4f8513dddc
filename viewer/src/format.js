// Numbers and words for people.

const prefixes = ['n', 'µ', 'm', '', 'k', 'M', 'G'];
const plainUnits = new Set(['s', 'm', 'N', 'J', 'N m']);

/** Short number: about five digits. */
export function number(x, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const large = size >= 1e6 || size < 1e-4;
  const text = large ? x.toExponential(Math.max(0, digits - 2)).replace(/\.?0*e/, 'e') : String(Number(x.toPrecision(digits)));
  return text.replace('e+', 'e').replaceAll('-', '−');
}

/** Number with its unit; plain units take a prefix. */
export function quantity(x, unit, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!plainUnits.has(unit) || Math.abs(x) < 1e-10) return number(x, digits) + (unit && unit !== '1' ? ' ' + unit : '');
  const k = Math.min(6, Math.max(0, 3 + Math.floor(Math.log10(Math.abs(x) * 1.0000001) / 3)));
  return number(x * Math.pow(1000, 3 - k), digits) + ' ' + prefixes[k] + unit;
}

/** Factor and prefix that make the numbers of an axis short. */
export function axisPrefix(unit, most) {
  if (!plainUnits.has(unit) || !(most > 0) || !Number.isFinite(most)) return { factor: 1, unit: unit === '1' ? '' : unit };
  const k = Math.min(6, Math.max(0, 3 + Math.floor(Math.log10(most * 1.0001) / 3)));
  return { factor: Math.pow(1000, 3 - k), unit: prefixes[k] + unit };
}

export function seconds(t, until) {
  const { factor, unit } = axisPrefix('s', until);
  const digits = Math.max(0, 4 - Math.ceil(Math.log10(Math.max(1e-9, until * factor))));
  return (t * factor).toFixed(Math.min(6, digits)) + ' ' + unit;
}

export function plural(n, one, many = one + 's') {
  return n + ' ' + (n === 1 ? one : many);
}

/** Element with attributes and children; text is never taken for markup. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'class') node.className = value;
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'checked' || key === 'value' || key === 'hidden') node[key] = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}
