/* SPDX-License-Identifier: MIT */
#include "loop/turn.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/word.h"
#include "loop/content.h"
#include "loop/event.h"

const char *fr_turn_status_text(int status)
{
    static const fri_word words[] = {FR_TURN_MAP(FRI_WORD)};
    return FRI_WORD_TEXT(words, status);
}

fri_turn *fri_turn_new(fr_error *err)
{
    fri_turn *turn = fri_calloc(1, sizeof(*turn), err);
    if (!turn)
        return NULL;
    turn->pub.events = (const fr_event *const *)turn->events;
    turn->pub.messages = turn->messages;
    return turn;
}

void fr_turn_free(fr_turn *pub)
{
    fri_turn *turn = (fri_turn *)pub;
    if (!turn)
        return;
    for (size_t i = 0; i < FRI_TURN_EVENTS; i++) {
        fr_event_free(turn->events[i]);
        fr_content_free(turn->told[i]);
        fri_free(turn->texts[i]);
    }
    fr_extraction_free(turn->extraction);
    fr_code_result_free(turn->result);
    fri_free(turn);
}

static int add_message(fri_turn *turn, size_t i, const fr_content *content,
                       const fr_executor_options *attributes, uint32_t compat, fr_error *err)
{
    FRI_AUTO(fri_buf_dispose) fri_buf text;
    fri_buf_init(&text, FRI_MAX_REPLY_BYTES);
    int rc = fr_convert_code_execution_parts(content, attributes, compat, &turn->told[i], err);
    if (rc)
        return rc;
    fri_content_text(turn->told[i], &text);
    rc = fri_buf_check(&text, "the text of an event", err);
    size_t n = text.n;
    turn->texts[i] = rc ? NULL : fri_buf_steal(&text, err);
    if (!turn->texts[i])
        return rc ? rc : FR_ENOMEM;
    const char *role = fr_content_role(turn->told[i]);
    turn->messages[i] = (fr_message){role[0] ? role : "model", {turn->texts[i], n}};
    return 0;
}

int fri_turn_add(fri_turn *turn, const fr_event *event, const fr_executor_options *attributes,
                 uint32_t compat, fr_error *err)
{
    size_t i = turn->pub.event_count;
    int rc = fr_event_new(event, &turn->events[i], err);
    if (rc == 0)
        rc = add_message(turn, i, event->content, attributes, compat, err);
    if (rc)
        return rc;
    turn->pub.event_count = turn->pub.message_count = i + 1;
    return 0;
}
