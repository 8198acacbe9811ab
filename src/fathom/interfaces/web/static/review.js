// Work on an item: what was typed is kept now and then, and the time that was spent is told.
const form = document.querySelector("form[data-work]");
if (form) {
  const EVERY = 20000, IDLE = 60000;
  const status = form.querySelector("[data-kept]");
  let spent = 0, last = Date.now(), active = Date.now(), kept = read(), busy = false;

  function read() {
    const fields = Object.fromEntries(new FormData(form));
    delete fields.seconds;
    return JSON.stringify(fields);
  }
  function tick() {
    const now = Date.now();
    if (document.visibilityState === "visible" && now - active < IDLE) spent += (now - last) / 1000;
    last = now;
  }
  function take() {
    tick();
    const seconds = spent;
    spent = 0;
    return seconds;
  }
  for (const kind of ["input", "keydown", "pointermove", "scroll"]) addEventListener(kind, () => { active = Date.now(); });
  document.addEventListener("visibilitychange", tick);
  form.addEventListener("submit", () => { form.elements.seconds.value = take().toFixed(1); });
  setInterval(async () => {
    tick();
    const now = read();
    if (now === kept || busy) return;
    busy = true;
    const seconds = take();
    try {
      const headers = { "content-type": "application/json", accept: "application/json" };
      const body = JSON.stringify({ ...JSON.parse(now), seconds });
      const done = await fetch(form.dataset.work, { method: "POST", headers, body });
      if (!done.ok) throw new Error(done.statusText);
      kept = now;
      status.textContent = "Draft kept";
    } catch {
      spent += seconds;
      status.textContent = "The draft isn't kept yet; it is tried again.";
    } finally {
      busy = false;
    }
  }, EVERY);
}
