// SPDX-License-Identifier: MIT
// check_openai.mjs PEER: what OpenAI's own client makes of the answers of openai_peer.py.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import OpenAI from "openai";

const TEXT = "Four: \u00fc \u6570 \u{1f600}.";

const peer = spawn("/usr/bin/python3", ["-B", "-E", "-s", "-S", process.argv[2]],
    { stdio: ["pipe", "pipe", "inherit"] });
const port = Number(String((await once(peer.stdout, "data"))[0]));
const origin = `http://127.0.0.1:${port}`;

const question = { model: "peer", messages: [{ role: "user", content: "2 + 2?" }] };

function ask(path, parameters = {}) {
    const client = new OpenAI({ apiKey: "sk-test", baseURL: origin + path, timeout: 20000 });
    return client.chat.completions.create({ ...question, ...parameters });
}

async function stream(path, heard = []) {
    const seen = { heard, finish: null, usage: null };
    for await (const chunk of await ask(path, { stream: true })) {
        if (chunk.choices[0]?.delta.content)
            heard.push(chunk.choices[0].delta.content);
        seen.finish = chunk.choices[0]?.finish_reason ?? seen.finish;
        seen.usage = chunk.usage ?? seen.usage;
    }
    return seen;
}

async function asked(path) {
    return Number(await (await fetch(`${origin}/asked${path}`)).text());
}

const checks = {
    async "a whole answer"() {
        const answer = await ask("/chat/js");
        assert.equal(answer.choices[0].message.content, TEXT);
        assert.equal(answer.choices[0].finish_reason, "stop");
        assert.equal(answer.usage.prompt_tokens, 11);
        assert.equal(answer.usage.completion_tokens, 7);
    },
    async "a streamed answer"() {
        const seen = await stream("/bytes/js");
        assert.equal(seen.heard.join(""), TEXT);
        assert.equal(seen.heard.length, 5);
        assert.equal(seen.finish, "stop");
        assert.equal(seen.usage.completion_tokens, 7);
    },
    async "the request as ours"() {
        const answer = await ask("/echo/js");
        assert.deepEqual(JSON.parse(answer.choices[0].message.content), question);
    },
    async "the key as ours"() {
        const answer = await ask("/head/js");
        assert.match(answer.choices[0].message.content, /^authorization: Bearer sk-test\r?$/im);
    },
    async "429 is tried again"() {
        assert.equal((await ask("/flaky/429/1/js")).choices[0].message.content, TEXT);
        assert.equal(await asked("/flaky/429/1/js"), 2);
    },
    async "500 is tried again"() {
        assert.equal((await stream("/flaky/500/2/js")).heard.join(""), TEXT);
        assert.equal(await asked("/flaky/500/2/js"), 3);
    },
    async "401 is not"() {
        await assert.rejects(ask("/refuse/401/openai/js"), (error) => {
            assert(error instanceof OpenAI.AuthenticationError);
            assert.match(error.message, /as OpenAI says/);
            return true;
        });
        assert.equal(await asked("/refuse/401/openai/js"), 1);
    },
    async "400 and 404 are not"() {
        await assert.rejects(ask("/refuse/400/openai/js"), OpenAI.BadRequestError);
        await assert.rejects(ask("/refuse/404/openai/js"), OpenAI.NotFoundError);
        assert.equal(await asked("/refuse/400/openai/js"), 1);
    },
    async "an error in the middle of a stream"() {
        const heard = [];
        await assert.rejects(stream("/error/2/js", heard), (error) => {
            assert(error instanceof OpenAI.APIError);
            assert.match(error.message, /the model fell over/);
            return true;
        });
        assert.equal(heard.join(""), "Four: \u00fc");
    },
    async "a connection that is lost in the middle"() {
        const heard = [];
        await assert.rejects(stream("/cut/2/js", heard));
        assert.equal(heard.join(""), "Four: \u00fc");
        assert.equal(await asked("/cut/2/js"), 1);
    },
};

let passed = 0, failed = 0;
for (const [name, check] of Object.entries(checks)) {
    try {
        await check();
        passed++;
        console.log(`ok: ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAILED: ${name}\n${error.stack}`);
    }
}
peer.stdin.end();
await once(peer, "exit");
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
