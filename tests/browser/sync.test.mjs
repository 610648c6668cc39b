// The second lesson by clicking, in both languages: in English the clock plays at ×10, in Korean it is stepped from
// event to event.
import { commitAndPush, equal, id, met } from "./page.mjs";

const KUST = "/root/capa-src/app-src-kust.yaml";
const WAVES = "/root/capa-src/app-src-waves.yaml";

async function goal(page, name, how) {
  if (how === "play") {
    await id(page, "play").click();
    await met(page, name, 40_000);
    await id(page, "play").click();
    return;
  }
  for (let n = 0; n < 400; n++) {
    if ((await id(page, `goal-${name}`).getAttribute("data-met")) === "true") return;
    await page.locator('[data-testid="app"][data-busy="false"]').waitFor();
    await id(page, "next-event").click();
  }
  throw new Error(`${name} is not met after 400 events`);
}

async function next(page) {
  await id(page, "step-done").waitFor();
  await id(page, "next-step").click();
}

async function fill(page, path) {
  await id(page, "fill-in").click();
  await id(page, `file-${path}`).waitFor();
  await page.locator('[data-testid="app"][data-busy="false"]').waitFor();
}

async function apply(page, path) {
  await id(page, `file-${path}`).click();
  await page.locator(`[data-testid="editor"][data-path="${path}"]`).waitFor();
  await id(page, "apply").click();
}

async function refresh(page, app) {
  await id(page, "right-app").click();
  await id(page, `app-${app}`).locator('[data-testid="hard-refresh"]').click();
}

async function lesson({ page, base, shot }, lang, how) {
  const label = (name) => shot(`${lang}-${name}`);
  await page.goto(`${base}?lesson=lab-sync&lang=${lang}&theme=${lang === "ko" ? "dark" : "light"}`);
  await page.locator('[data-testid="app"][data-boot="ready"]').waitFor({ timeout: 60_000 });
  await page.locator("tide-editor .cm-content").waitFor();
  await id(page, "speed").selectOption("10");

  // Step 3 of the lab: what Argo CD leaves on an object.
  await id(page, "bottom-tree").click();
  await id(page, "node-ConfigMap-src-helm-greeting").locator("button").click();
  await id(page, "side-live").click();
  await id(page, "live-yaml").locator("[data-line]", { hasText: "tracking-id:" }).first().waitFor();
  await label("1-tracking");
  await fill(page, "/root/capa-src/tracking.json");
  await next(page);

  // Step 4: an overlay, and an image that only the Application knows.
  await fill(page, KUST);
  await commitAndPush(page, "overlay");
  await apply(page, KUST);
  await goal(page, "kust-synced", how);
  await id(page, "right-rendered").click();
  await id(page, "manifest-Deployment-prod-api").locator("[data-line]", { hasText: "image:" }).first().click();
  await page.locator('[data-hop="change"][data-overridden="true"]').waitFor();
  await label("2-overlay");
  await next(page);

  // Step 5: hook and waves.
  await fill(page, WAVES);
  await commitAndPush(page, "waves");
  await apply(page, WAVES);
  await id(page, "bottom-timeline").click();
  await goal(page, "waves-synced", how);
  await label("3-waves");
  // Back to a moment in the middle, and to the present again.
  const box = await page.locator(".timeline svg").boundingBox();
  await page.mouse.click(box.x + box.width * 0.6, box.y + 40);
  await id(page, "looking").waitFor();
  await label("4-looking-back");
  await id(page, "back-to-now").click();
  await id(page, "looking").waitFor({ state: "detached" });
  await fill(page, "/root/capa-src/waves.json");
  await met(page, "waves-noted");
  await next(page);

  // Step 6: the hook fails, the new setting stays out; then the operation is let go.
  await fill(page, WAVES);
  await commitAndPush(page, "broken");
  await refresh(page, "src-waves");
  await goal(page, "hook-failed", how);
  await label("5-hook-failed");
  await fill(page, "/root/capa-src/failed-hook.json");
  await met(page, "failure-noted");
  await next(page);
  await fill(page, WAVES);
  await commitAndPush(page, "fixed");
  await refresh(page, "src-waves");
  await id(page, "app-src-waves").locator('[data-testid="terminate"]').click();
  await goal(page, "waves-synced-again", how);
  await met(page, "mode-green");
  await label("6-hook-fixed");
  await next(page);

  // Step 7: a field that somebody else owns.
  await fill(page, KUST);
  await apply(page, KUST);
  await goal(page, "ignored", how);
  await id(page, "bottom-tree").click();
  await id(page, "node-Deployment-prod-api").locator("button").click();
  await equal(await id(page, "replicas").innerText(), "2", "replicas before");
  for (const count of ["3", "4"]) {
    await id(page, "scale-up").click();
    await page.locator(`[data-testid="replicas"]:has-text("${count}")`).waitFor();
  }
  await goal(page, "four-stay", how);
  await label("7-scaled");
  await id(page, "bottom-terminal").click();
  await id(page, "prompt").fill("date +%s");
  await id(page, "prompt").press("Enter");
  await id(page, "terminal").locator("text=date +%s").waitFor();
  await label("8-terminal");
  await met(page, "still-synced");
  await fill(page, "/root/capa-src/ignore.json");
  await next(page);

  // Step 8: who decided.
  await fill(page, "/root/capa-src/report.json");
  await page.locator('[data-testid="lesson"][data-done="true"]').waitFor();
  await label("9-done");
}

export const tests = {
  "a sync as it goes, played at ×10": (t) => lesson(t, "en", "play"),
  "a sync as it goes, stepped": (t) => lesson(t, "ko", "step"),
};
