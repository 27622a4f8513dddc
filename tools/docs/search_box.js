// The search box of the site: sections whose heading or text hold all words, headings first. No network.
(() => {
  const box = document.querySelector('.search input');
  const list = document.querySelector('.search ol');
  const escape = (s) => s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
  const find = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = [];
    for (const [place, page, heading, text] of SECTIONS) {
      const head = `${page} ${heading}`.toLowerCase();
      const body = text.toLowerCase();
      if (!words.every((w) => head.includes(w) || body.includes(w))) continue;
      const score = words.reduce((s, w) => s + (heading.toLowerCase() === w ? 9 : heading.toLowerCase().includes(w) ? 4 : head.includes(w) ? 2 : 0) + Math.min(1, body.split(w).length / 20), 0);
      const at = Math.max(0, body.indexOf(words.find((w) => body.includes(w)) ?? '') - 40);
      found.push({ score, place, page, heading, text: text.slice(at, at + 120) });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, 12);
  };
  const show = () => {
    const found = find(box.value);
    list.hidden = !box.value.trim();
    list.innerHTML = found.length
      ? found.map((f) => `<li><a href="${escape(f.place)}"><b>${escape(f.heading)}</b> <small>${escape(f.page)}</small><br><span>${escape(f.text)}</span></a></li>`).join('')
      : '<li class="none">nothing found</li>';
  };
  box.addEventListener('input', show);
  box.addEventListener('keydown', (e) => {
    if (e.key === 'Enter') list.querySelector('a')?.click();
    if (e.key === 'Escape') (box.value = ''), show();
  });
  document.addEventListener('keydown', (e) => {
    if (e.key === '/' && !/^(INPUT|TEXTAREA)$/.test(e.target.tagName)) e.preventDefault(), box.focus();
  });
  document.addEventListener('click', (e) => e.target.closest('.search') || (list.hidden = true));
})();
