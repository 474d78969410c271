/* SPDX-License-Identifier: MIT */
/* A loop of one's own around the post-processor. The model is whatever takes a conversation and returns
 * a reply; here it is two sentences learned by heart. */
#include <fencerun/fencerun.h>
#include <stdio.h>
#include <string.h>

static char conversation[8192] = "What is the monthly payment on 240,000 over 25 years at 5.4 %?\n";

static const char *my_model(void)
{
    if (strstr(conversation, "1459.51"))
        return "It is 1,459.51 a month.\n";
    return "```python\nP, r, n = 240000, 0.054 / 12, 25 * 12\n"
           "print(round(P * r / (1 - (1 + r) ** -n), 2))\n```\nThat makes 1,500.\n";
}

static void remember(const char *text)
{
    strncat(conversation, text, sizeof(conversation) - strlen(conversation) - 1);
}

int main(void)
{
    fr_executor *sandbox = NULL, *guard = NULL;
    fr_postprocessor *postprocessor = NULL;
    fr_state *state = NULL;
    fr_error err = FR_ERROR_INIT;
    int again = 1, rc = fr_executor_open("sandbox", NULL, &sandbox, &err);

    if (rc == 0)
        rc = fr_executor_wrap("guard", NULL, sandbox, &guard, &err);
    if (rc == 0)
        rc = fr_postprocessor_new(guard, NULL, &postprocessor, &err);
    if (rc == 0)
        rc = fr_state_new(&state, &err);
    while (rc == 0 && again) {
        const char *reply = my_model();
        fr_turn_input input = FR_TURN_INPUT_INIT;
        fr_turn *turn = NULL;
        input.text = (fr_str){reply, strlen(reply)};
        rc = fr_postprocess(postprocessor, &input, state, &turn, &err);
        again = rc == 0 && turn->call_again;
        for (size_t i = 0; again && i < turn->message_count; i++)
            remember(turn->messages[i].text.p); /* the code, then what came of it */
        if (rc == 0 && !again)
            remember(reply);
        fr_turn_free(turn);
    }
    printf("%s%s%s", conversation, rc ? "own_loop: " : "", err.text);
    fr_state_free(state);
    fr_postprocessor_free(postprocessor);
    fr_executor_close(guard ? guard : sandbox);
    return rc ? 1 : 0;
}
