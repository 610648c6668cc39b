// Figures of a keystroke in the lesson: round trip to the worker, and input to painted result. Printed always; the budgets
// are checked only with CHECK_SPEED=1, as a busy machine says nothing about the page.
import { APP, CHART, id, open, quantile, show } from "./page.mjs";

const BUDGETS = { roundTrips: [8, 20], paints: [16, 33] };

export const tests = {
  "a keystroke": async ({ page, base }) => {
    await open(page, base);
    await id(page, "fill-in").click();
    await id(page, `file-${APP}`).waitFor();
    await show(page, `${CHART}/values-prod.yaml`);
    await id(page, "right-rendered").click();
    await id(page, "manifest-Deployment-src-helm-web").waitFor();
    await page.locator("tide-editor .cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# a comment that warms everything up\n", { delay: 40 });
    await page.evaluate(() => ["roundTrips", "workers", "paints"].forEach((k) => (window.__tidepool[k].length = 0)));
    await page.keyboard.type("extra: one\nanother: two\n# the person keeps typing for a while, letter by letter, as people do\nlast: three\n", { delay: 60 });
    await page.waitForTimeout(300);
    const got = await page.evaluate(() => ({ ...window.__tidepool, killWorker: undefined }));
    const bad = [];
    for (const [name, list] of Object.entries(got)) {
      if (!Array.isArray(list)) continue;
      const [median, p95] = [quantile(list, 0.5), quantile(list, 0.95)];
      console.log(`     ${name}: median ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (${list.length} keystrokes)`);
      const budget = BUDGETS[name];
      if (budget && (median > budget[0] || p95 > budget[1])) bad.push(name);
    }
    if (process.env.CHECK_SPEED === "1" && bad.length) throw new Error(`over budget: ${bad.join(", ")}`);
  },
};
