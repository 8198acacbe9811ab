// Queries are typed in plain boxes; names are offered below the caret, and faults are shown at their place.
// All events are heard on the document, so that boxes which come later work too.

const MIRRORED = ["fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing", "tabSize", "paddingTop",
  "paddingRight", "paddingBottom", "paddingLeft", "borderTopWidth", "borderRightWidth", "borderBottomWidth",
  "borderLeftWidth", "boxSizing", "overflowWrap"];
const list = document.createElement("ul");
Object.assign(list, { id: "names", className: "names", hidden: true });
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Names that fit");
let open = null;  // { box, start, at, chosen } while names are offered
let asking = 0, waiting = 0;

async function ask(path, body) {
  try {
    const told = await fetch(path, { method: "POST", body: JSON.stringify(body),
      headers: { "content-type": "application/json", accept: "application/json" } });
    return told.ok ? await told.json() : null;
  } catch { return null; }  // without the server it is a plain box
}

// Where a place of the text is on the page: a copy of the box, with a mark at the place.
function placed(box, at) {
  const copy = document.createElement("div"), mark = document.createElement("span");
  const style = getComputedStyle(box), around = box.getBoundingClientRect();
  for (const name of MIRRORED) copy.style[name] = style[name];
  Object.assign(copy.style, { position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", top: "0", left: "0",
    width: `${box.offsetWidth}px`, borderStyle: "solid" });
  copy.append(box.value.slice(0, at), mark);
  mark.textContent = box.value.slice(at, at + 1) || ".";
  document.body.append(copy);
  const found = { left: around.left + mark.offsetLeft - box.scrollLeft + scrollX,
    top: around.top + mark.offsetTop - box.scrollTop + mark.offsetHeight + 4 + scrollY };
  copy.remove();
  return found;
}

function close() {
  if (!open) return;
  for (const name of ["aria-controls", "aria-activedescendant"]) open.box.removeAttribute(name);
  open = null;
  list.hidden = true;
  list.replaceChildren();
}

function choose(number) {
  const items = [...list.children];
  open.chosen = (number + items.length) % items.length;
  items.forEach((item, i) => item.setAttribute("aria-selected", String(i === open.chosen)));
  items[open.chosen].scrollIntoView({ block: "nearest" });
  open.box.setAttribute("aria-activedescendant", items[open.chosen].id);
}

function take(number) {
  const { box, start, at } = open, text = list.children[number].dataset.name;
  close();
  box.setSelectionRange(start, at);
  // This way the browser can take it back; where it doesn't know it, the text is set.
  if (!document.execCommand("insertText", false, text)) box.setRangeText(text, start, at, "end");
}

async function offer(box) {
  const mine = ++asking, at = box.selectionEnd;
  const found = await ask(`${box.dataset.names}/names`, { sql: box.value, at });
  if (mine !== asking || document.activeElement !== box || box.selectionEnd !== at) return;
  close();
  if (!found?.names.length) return;
  list.replaceChildren(...found.names.map((name, i) => {
    const item = document.createElement("li"), about = document.createElement("span");
    Object.assign(item, { id: `name-${i}`, textContent: name.text });
    item.dataset.name = name.text;
    item.setAttribute("role", "option");
    about.className = "about";
    about.textContent = ` ${name.about}`;
    item.append(about);
    return item;
  }));
  document.querySelector("main").append(list);  // a part of the page, and anew where the page was
  open = { box, start: found.start, at, chosen: 0 };
  list.hidden = false;
  const { left, top } = placed(box, found.start);
  list.style.top = `${top}px`;
  list.style.left = `${Math.max(8, Math.min(left, scrollX + document.documentElement.clientWidth - list.offsetWidth - 8))}px`;
  box.setAttribute("aria-controls", list.id);
  choose(0);
}

// The first fault, with its line; nothing is said while names are offered.
async function check(box) {
  const shown = document.getElementById(box.getAttribute("aria-describedby")), sql = box.value;
  if (!shown) return;
  const found = sql.trim() ? await ask(`${box.dataset.names}/check`, { sql }) : { fault: null };
  if (!found || box.value !== sql || open) return;
  shown.replaceChildren();
  const fault = found.fault;
  if (!fault) return;
  const words = document.createElement("p"), strong = document.createElement("strong");
  strong.textContent = fault.line ? `Line ${fault.line}, column ${fault.column}: ${fault.text}` : fault.text;
  words.append(strong);
  shown.append(words);
  if (!fault.line) return;
  const line = document.createElement("pre"), mark = document.createElement("mark"), go = document.createElement("button");
  mark.textContent = fault.marked;
  line.append(fault.before, mark, fault.after);
  Object.assign(go, { type: "button", className: "quiet", textContent: "Go there" });
  go.onclick = () => { box.focus(); box.setSelectionRange(fault.start, fault.end); };
  words.append(" ", go);
  shown.append(line);
}

const isBox = (target) => target instanceof HTMLTextAreaElement && target.dataset.names;

document.addEventListener("input", (event) => {
  const box = event.target;
  if (!isBox(box)) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => check(box), 700);
  const before = box.value.slice(0, box.selectionEnd);
  if (event.inputType?.startsWith("insert") && /[\p{L}\p{N}_.]$/u.test(before)) offer(box);
  else { asking++; close(); }
});
document.addEventListener("keydown", (event) => {
  const box = event.target;
  if (!isBox(box)) return;
  if (event.key === " " && event.ctrlKey) offer(box);
  else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) box.form.requestSubmit();
  else if (!open || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  else if (event.key === "ArrowDown") choose(open.chosen + 1);
  else if (event.key === "ArrowUp") choose(open.chosen - 1);
  else if (event.key === "Enter" || event.key === "Tab" && !event.shiftKey) take(open.chosen);
  else if (event.key === "Escape") { asking++; close(); event.stopImmediatePropagation(); }
  else return;
  event.preventDefault();
}, true);
list.addEventListener("mousedown", (event) => {
  event.preventDefault();  // the box keeps the caret
  const item = event.target.closest("li");
  if (item) take([...list.children].indexOf(item));
});
document.addEventListener("focusout", (event) => { if (isBox(event.target)) close(); });
addEventListener("resize", close);
document.addEventListener("scroll", (event) => { if (event.target !== list) close(); }, true);
