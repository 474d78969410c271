/* SPDX-License-Identifier: MIT */
/* The error budget rehearsed: scripts stand in for the model and the executor, so that what happens after
 * two failures in a row can be seen without either. */
#include <fencerun/fencerun.h>
#include <stdio.h>
#include <string.h>

#define BLOCK "\"```python\\ncompute()\\n```\""
#define FAILS "{\"exit_code\": 1, \"stderr\": \"NameError: compute\"}"

static const char replies[] = "{\"replies\": [" BLOCK "," BLOCK "," BLOCK ", \"I cannot tell.\"]}";
static const char results[] = "{\"results\": [" FAILS "," FAILS "]}";

static void show(void *user, const fr_event *event)
{
    size_t n = event->content ? fr_content_count(event->content) : 0;
    const fr_part *last = n > 0 ? fr_content_part(event->content, n - 1) : NULL;

    (void)user;
    if (event->error_code)
        printf("  %s: %s\n", event->author, event->error_code);
    else if (last && last->kind == FR_PART_CODE_EXECUTION_RESULT)
        printf("  %s: %.*s\n", event->author, (int)strcspn(last->data.p, "\n:"), last->data.p);
    else if (last)
        printf("  %s: %s\n", event->author, last->kind == FR_PART_TEXT ? last->data.p : "code");
}

static int rehearse(int when_used_up, fr_error *err)
{
    fr_scripted_model_options model = FR_SCRIPTED_MODEL_OPTIONS_INIT;
    fr_scripted_options script = FR_SCRIPTED_OPTIONS_INIT;
    fr_executor_options executor = FR_EXECUTOR_OPTIONS_INIT;
    fr_postprocessor_options budget = FR_POSTPROCESSOR_OPTIONS_INIT;
    fr_runner_options options = FR_RUNNER_OPTIONS_INIT;
    fr_runner *runner = NULL;
    fr_session *session = NULL;
    fr_answer *answer = NULL;
    int rc;

    model.json = (fr_str){replies, strlen(replies)};
    script.json = (fr_str){results, strlen(results)};
    executor.config = &script;
    budget.when_used_up = when_used_up;
    options.postprocessor = &budget;
    options.on_event = show;
    rc = fr_executor_open("scripted", &executor, &options.executor, err);
    if (rc == 0)
        rc = fr_model_open(fr_model_scripted(), &model, &options.model, err);
    if (rc == 0)
        rc = fr_runner_new(&options, &runner, err);
    if (rc == 0)
        rc = fr_session_new("rehearsal", NULL, NULL, &session, err);
    if (rc == 0)
        rc = fr_runner_ask(runner, session, (fr_str){"How much?", 9}, NULL, NULL, &answer, err);
    if (rc == 0)
        printf("%s: \"%s\" after %d runs\n", fr_answer_status_text(answer->status), answer->text.p,
               answer->runs);
    fr_answer_free(answer);
    fr_session_free(session);
    fr_runner_free(runner);
    fr_model_close(options.model);
    fr_executor_close(options.executor);
    return rc;
}

int main(void)
{
    static const struct {
        int mode;
        const char *name;
    } modes[] = {{FR_USED_UP_FINAL_TURN, "final_turn"},
                 {FR_USED_UP_PASSTHROUGH, "passthrough"},
                 {FR_USED_UP_FAIL, "fail"}};
    fr_error err = FR_ERROR_INIT;

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        printf("when used up: %s\n", modes[i].name);
        if (rehearse(modes[i].mode, &err)) {
            fprintf(stderr, "rehearse_budget: %s\n", err.text);
            return 1;
        }
    }
    return 0;
}
