/* SPDX-License-Identifier: MIT */
/* ask_openai MODEL [BASE-URL]: the question about the loan, put to whatever speaks OpenAI's chat
 * completions. The key is in the environment, as OPENAI_API_KEY; a local server needs none. */
#include <fencerun/fencerun.h>
#include <stdio.h>
#include <string.h>

static const char question[] =
    "What is the monthly payment on 240,000 over 25 years at 5.4 percent, "
    "and how much interest is that in total?";

/* What the model says, while it says it. */
static void on_text(void *user, const char *p, size_t n)
{
    (void)user;
    fwrite(p, 1, n, stdout);
    fflush(stdout);
}

static int ask(const fr_runner_options *options, fr_error *err)
{
    fr_runner *runner = NULL;
    fr_session *session = NULL;
    fr_answer *answer = NULL;
    int rc = fr_runner_new(options, &runner, err);

    if (rc == 0)
        rc = fr_session_new("loans", NULL, NULL, &session, err);
    if (rc == 0)
        rc = fr_runner_ask(runner, session, (fr_str){question, strlen(question)}, NULL, NULL,
                           &answer, err);
    if (rc == 0)
        printf("\n%s: %d model calls, %d runs of code\n", fr_answer_status_text(answer->status),
               answer->model_calls, answer->runs);
    fr_answer_free(answer);
    fr_session_free(session);
    fr_runner_free(runner);
    return rc;
}

int main(int argc, char **argv)
{
    fr_openai_options openai = FR_OPENAI_OPTIONS_INIT;
    fr_runner_options options = FR_RUNNER_OPTIONS_INIT;
    fr_executor *sandbox = NULL;
    fr_error err = FR_ERROR_INIT;
    int rc;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: ask_openai MODEL [BASE-URL]\n");
        return 2;
    }
    openai.model = argv[1];
    openai.base_url = argc > 2 ? argv[2] : NULL;
    openai.stream = 1;
    options.instruction = "You answer questions about loans.";
    options.on_text = on_text;
    rc = fr_executor_open("sandbox", NULL, &sandbox, &err);
    if (rc == 0)
        rc = fr_executor_wrap("guard", NULL, sandbox, &options.executor, &err);
    if (rc == 0)
        rc = fr_model_open(fr_model_openai(), &openai, &options.model, &err);
    if (rc == 0)
        rc = ask(&options, &err);
    if (rc)
        fprintf(stderr, "ask_openai: %s\n", err.text);
    fr_model_close(options.model);
    fr_executor_close(options.executor ? options.executor : sandbox);
    return rc ? 1 : 0;
}
