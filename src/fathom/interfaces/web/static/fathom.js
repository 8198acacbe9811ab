// What pages do better with a script; all of it works without one too. Nothing from a server is run as code.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// The progress of a question: fragments are put in as they come, then the page with the answer.
function follow(job) {
  const events = new EventSource(job.dataset.events);
  let said = 0;
  events.addEventListener("progress", (event) => {
    job.setAttribute("aria-live", Date.now() - said > 5000 ? "polite" : "off");
    if (Date.now() - said > 5000) said = Date.now();
    job.innerHTML = event.data;
    const badge = $("main .badge.waiting");
    if (!badge || !$("[data-status=working]", job)) return;
    badge.className = "badge working";
    badge.lastChild.textContent = " Working";
  });
  events.addEventListener("over", async () => {
    events.close();
    const page = await fetch(location.href, { headers: { accept: "text/html" } });
    const made = new DOMParser().parseFromString(await page.text(), "text/html");
    if ($("#job", made)) return location.reload();
    document.title = made.title;
    const main = document.adoptNode($("main", made));
    const earlier = $("details.earlier", main);
    if (earlier) earlier.open = Boolean($("details.earlier[open]"));  // opened while the answer was made
    $("main").replaceWith(main);
    improve(main);
    $("h1", main)?.focus();
    if (window.vegaEmbed || !$("script[src='/static/vega.js']", made)) return;
    await load("/static/vega.js");  // takes a while: the keys and the focus don't wait for it
    charts(main);
  });
  events.onerror = () => job.classList.add("offline");  // it connects again by itself
  events.onopen = () => job.classList.remove("offline");
}

// Runs that grow: the page is fetched anew whenever one did, but not under the hands of who types or chooses.
function live(mark) {
  const events = new EventSource(mark.dataset.live);
  events.addEventListener("changed", async () => {
    if ($("main input:checked") || $("main").contains(document.activeElement)) return;
    const page = await fetch(location.href, { headers: { accept: "text/html" } });
    const main = $("main", new DOMParser().parseFromString(await page.text(), "text/html"));
    events.close();
    $("main").replaceWith(document.adoptNode(main));
    improve($("main"));
  });
}

function load(url) {
  return new Promise((done) => {
    const script = document.createElement("script");
    Object.assign(script, { type: "module", src: url, onload: done });
    document.head.append(script);
  });
}

// Times as the reader's clock has them; the server's stays as the title.
function local(time) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) return;
  time.title = time.textContent;
  const minutes = Math.round((Date.now() - at) / 60000);
  time.textContent = time.closest(".list") && minutes >= 0 && minutes < 1440
    ? new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(...(minutes < 60 ? [-minutes, "minute"] : [-Math.round(minutes / 60), "hour"]))
    : at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

// Seconds of work count on between what the server tells.
setInterval(() => $$("[data-since]").forEach((told) => {
  told.dataset.since = Number(told.dataset.since) + 1;
  told.textContent = `${Math.round(told.dataset.since)} s`;
}), 1000);

// A menu closes as soon as something else is meant.
addEventListener("click", (event) => $$("details.menu[open]").forEach((m) => m.contains(event.target) || (m.open = false)));

function remember(name, value) { try { localStorage.setItem(name, value); } catch { /* not allowed here */ } }
function recall(name) { try { return localStorage.getItem(name); } catch { return null; } }

// Charts are redrawn by Vega, in the colours of the page, with tooltips.
async function chart(figure, mark = "") {
  if (!window.vegaEmbed) return;
  const colour = (name) => {
    const probe = figure.appendChild(document.createElement("i"));
    probe.className = `probe-${name}`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const found = await (await fetch(`${figure.dataset.chart}?mark=${mark}`)).json();
  const [ink, line, accent] = ["ink", "line", "accent"].map(colour);
  const title = found.title;  // stands above the chart already
  delete found.title;
  const axis = { ...found.config.axis, labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line };
  found.config = { ...found.config, background: null, font: getComputedStyle(figure).fontFamily, view: { stroke: null }, axis,
    axisQuantitative: { tickCount: 8 }, legend: { labelColor: ink, titleColor: ink }, mark: { color: accent } };
  const drawn = document.createElement("div");
  drawn.className = "drawn-here";
  figure.append(drawn);
  await vegaEmbed(drawn, found, { ast: true, actions: false, defaultStyle: false, renderer: "svg",
    tooltip: { disableDefaultStyle: true } });
  $$(":scope > .drawn-here", figure).forEach((old) => old !== drawn && old.remove());
  $("source", figure)?.remove();  // paper is light
  $("picture", figure)?.classList.add("for-paper");
  const svg = $("svg", drawn);
  svg?.setAttribute("role", "img");
  svg?.setAttribute("aria-label", `Chart: ${title}`);
  $$("[data-mark]", figure.parentElement).forEach((a) =>
    a.toggleAttribute("aria-current", a.dataset.mark === (mark || figure.dataset.mark)));
}

function charts(root) { $$("[data-chart]", root).forEach((figure) => chart(figure)); }

// What a cell is sorted by: a number, a text, or null for what isn't known. Shown numbers have commas and signs.
function value(cell) {
  if (cell.classList.contains("none")) return null;
  if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
  const text = cell.textContent.trim();
  if (!cell.classList.contains("n")) return text;
  const number = parseFloat(text.replace(/[,~]/g, ""));
  return Number.isNaN(number) ? null : number;
}

// Tables are sorted among the rows at hand.
function sortable(table) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) return;
  $$("thead th", table).forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      $$("thead th", table).forEach((th) => th.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const texts = new Intl.Collator("en", { numeric: true }).compare;
      const known = [...body.rows].map((row) => [value(row.cells[i]), row]).filter(([v]) => v !== null);
      const numeric = known.every(([v]) => typeof v === "number");
      const order = ([a], [b]) => (up ? 1 : -1) * (numeric ? a - b : texts(String(a), String(b)));
      body.prepend(...known.sort(order).map(([, row]) => row));  // what isn't known stays behind, in its order
    };
  });
}

async function copy(button, text) {
  try { await navigator.clipboard.writeText(text); } catch { return; }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}

// A file of rows that is dropped on a page with a form for it.
function takesDrops(form) {
  const box = $("input[type=file]", form);
  document.addEventListener("dragover", (event) => {
    if (!form.isConnected || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    form.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) form.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    form.classList.remove("dropping");
    if (!form.isConnected || !event.dataTransfer.files.length) return;
    event.preventDefault();
    box.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

// A board that is to be asked anew when it is opened; not twice within a minute.
function refreshes(form) {
  const box = $("input[type=checkbox]", form), name = `refresh ${form.dataset.refresh}`, last = `${name}, last`;
  box.parentElement.hidden = false;
  box.checked = recall(name) === "on";
  box.onchange = () => remember(name, box.checked ? "on" : "off");
  if (!box.checked || Date.now() - Number(recall(last)) < 60000) return;
  remember(last, Date.now());
  form.requestSubmit();
}

function improve(root) {
  $$("form[data-refresh]", root).forEach(refreshes);
  $$("form[data-drop]", root).forEach(takesDrops);
  const job = $("#job[data-events]", root);
  if (job) follow(job);
  const mark = $("[data-live]", root);
  if (mark) live(mark);
  const again = $("[data-again]", root);
  if (again) setTimeout(() => location.reload(), 1000 * again.dataset.again);
  $$("time[datetime]", root).forEach(local);
  $$("table.sortable", root).forEach(sortable);
  charts(root);
  $$("a[data-mark]", root).forEach((a) => a.addEventListener("click", (event) => {
    const figure = $("[data-chart]", a.closest("section"));
    if (!window.vegaEmbed || !figure) return;
    event.preventDefault();
    chart(figure, a.dataset.mark);
  }));
  $$("[data-copy]", root).forEach((b) => { b.hidden = false; b.onclick = () => copy(b, b.dataset.copy); });
  $$("[data-copy-url]", root).forEach((b) => { b.hidden = false; b.onclick = () => copy(b, location.href); });
  $$("textarea[data-ask]", root).forEach((box) => box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      box.form.requestSubmit();
    }
  }));
  const keys = $("#use-keys", root);
  if (keys) {
    $("#keys-switch").hidden = false;
    keys.checked = recall("keys") !== "off";
    keys.onchange = () => remember("keys", keys.checked ? "on" : "off");
  }
}

// Keys; one letter alone does nothing while somebody types, or where they are switched off.
const PLACES = { a: "/", h: "/history", s: "/saved", d: "/db", t: "/tools", r: "/runs" };
let going = 0;
addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = $("details.menu[open]");
    if (!menu) return $("[data-cancel]")?.click();
    menu.open = false;
    return $("summary", menu).focus();
  }
  const typing = event.target.closest?.("input:not([type=radio]), textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || recall("keys") === "off") return;
  const items = $$("[data-list] > li > a");
  const at = items.indexOf(document.activeElement);
  const reading = $(`[data-reading][value="${CSS.escape(event.key)}"]`);
  const doing = {
    "/": () => $("[data-ask], [type=search]")?.focus(),
    "?": () => { location.href = "/help"; },
    g: () => { going = Date.now(); },
    j: () => ($("[data-beside=next]")?.click(), items[Math.min(at + 1, items.length - 1)]?.focus()),
    k: () => ($("[data-beside=previous]")?.click(), items[Math.max(at - 1, 0)]?.focus()),
    c: () => $("[data-copy]")?.click(),
    e: () => { const box = $(".edit"); if (box) { $(".of-sql").open = true; box.open = true; $("textarea", box).focus(); } },
  };
  if (Date.now() - going < 1500 && PLACES[event.key]) location.href = PLACES[event.key];
  else if (reading) { reading.checked = true; reading.focus(); }
  else if (doing[event.key]) doing[event.key]();
  else return;
  event.preventDefault();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
  charts(document));
improve(document);
