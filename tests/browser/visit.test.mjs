// What a first visit fetches: everything until the lesson is shown stays within the budget, the rest of the worker comes
// after that, and an early need of it waits for it instead of failing.
import { gzipSync } from "node:zlib";
import { CHART, commitAndPush, id, open } from "./page.mjs";

const BUDGET = 700_000;

export const tests = {
  "a first visit": async ({ page, context, base }) => {
    const fetched = [];
    context.on("request", (request) => fetched.push(request.url()));
    await open(page, base);
    await id(page, "lesson").waitFor();
    await id(page, `file-${CHART}/values-prod.yaml`).waitFor();
    const first = [...new Set(fetched)];
    if (!first.some((url) => url.endsWith("worker_bg.wasm"))) throw new Error(`the worker's requests are not seen: ${first.join(" ")}`);
    const early = first.filter((url) => url.includes("worker_rest-"));
    if (early.length) throw new Error("the rest of the worker was fetched before the lesson was shown");
    let total = 0;
    for (const url of first) total += gzipSync(await (await context.request.get(url)).body(), { level: 9 }).length;
    console.log(`     until the lesson is shown: ${first.length} files, ${total} bytes gzip`);
    if (total > BUDGET) throw new Error(`${total} bytes, over ${BUDGET}`);
    await page.waitForTimeout(2000);
    if (!fetched.some((url) => url.includes("worker_rest-"))) throw new Error("the rest of the worker was never fetched");
  },

  "a person who is faster than the line": async ({ page, context, base }) => {
    // The rest comes late, so that the command needs it before it is there.
    await context.route(/worker_rest-.*\.wasm$/, async (route) => {
      await new Promise((done) => setTimeout(done, 3000));
      await route.continue();
    });
    await open(page, base);
    await id(page, "fill-in").click();
    await commitAndPush(page, "chart web");
    await id(page, "goal-chart-pushed").locator("xpath=self::*[@data-met='true']").waitFor({ timeout: 20_000 });
  },
};
