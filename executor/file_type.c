/* SPDX-License-Identifier: MIT */
#include "executor/file_type.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* A text is read so far. */
#define LOOK 65536

typedef struct signature {
    size_t at;
    fr_str bytes;
    const char *type;
} signature;

#define SIGN(at, bytes, type)                      \
    {                                              \
        (at), {(bytes), sizeof(bytes) - 1}, (type) \
    }

/* The first that fits. Types: IANA's list of media types. */
static const signature signatures[] = {
    SIGN(0, "\x89PNG\r\n\x1a\n", "image/png"),
    SIGN(0, "\xff\xd8\xff", "image/jpeg"),
    SIGN(0, "GIF87a", "image/gif"),
    SIGN(0, "GIF89a", "image/gif"),
    SIGN(8, "WEBP", "image/webp"),
    SIGN(0, "BM", "image/bmp"),
    SIGN(0, "II*\0", "image/tiff"),
    SIGN(0, "MM\0*", "image/tiff"),
    SIGN(0, "%PDF-", "application/pdf"),
    SIGN(0, "PK\x03\x04", "application/zip"),
    SIGN(0, "PK\x05\x06", "application/zip"),
    SIGN(0, "\x1f\x8b", "application/gzip"),
    SIGN(0, "\x28\xb5\x2f\xfd", "application/zstd"),
    SIGN(0, "PAR1", "application/vnd.apache.parquet"),
    SIGN(0, "SQLite format 3\0", "application/vnd.sqlite3"),
    SIGN(8, "WAVE", "audio/wav"),
    SIGN(0, "OggS", "audio/ogg"),
    SIGN(0, "ID3", "audio/mpeg"),
    SIGN(4, "ftyp", "video/mp4"),
};

typedef struct ending {
    const char *ending;
    const char *type;
} ending;

/* Files that are ZIP archives by their bytes. */
static const ending archives[] = {
    {".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {".odt", "application/vnd.oasis.opendocument.text"},
    {".ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {".epub", "application/epub+zip"},
    {"", "application/zip"},
};

static const ending texts[] = {
    {".csv", "text/csv"},          {".tsv", "text/tab-separated-values"},
    {".json", "application/json"}, {".html", "text/html"},
    {".htm", "text/html"},         {".md", "text/markdown"},
    {".xml", "application/xml"},   {".svg", "image/svg+xml"},
    {".yaml", "application/yaml"}, {".yml", "application/yaml"},
    {".css", "text/css"},          {".js", "text/javascript"},
    {".py", "text/x-python"},      {"", "text/plain"},
};

/* The last row of a table has the empty ending, which every name has. */
static const char *by_ending(const ending *table, const char *name)
{
    size_t n = strlen(name);
    for (;; table++) {
        size_t m = strlen(table->ending);
        if (m <= n && strcasecmp(name + n - m, table->ending) == 0)
            return table->type;
    }
}

static const char *by_signature(fr_str content)
{
    for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
        const signature *s = &signatures[i];
        if (content.n >= s->at + s->bytes.n &&
            memcmp(content.p + s->at, s->bytes.p, s->bytes.n) == 0)
            return s->type;
    }
    return NULL;
}

/* UTF-8 without NULs, as far as is looked: there a character may be cut in two. */
static int is_text(fr_str content)
{
    size_t n = content.n < LOOK ? content.n : fri_utf8_clip(content.p, LOOK);
    return n == 0 || (!memchr(content.p, '\0', n) && fri_utf8_valid_prefix(content.p, n) == n);
}

const char *fri_file_type(const char *name, fr_str content)
{
    const char *type = by_signature(content);
    if (type && strcmp(type, "application/zip") == 0)
        return by_ending(archives, name);
    /* Some signatures are words: a text may begin with "BM". A PDF may be all text. */
    if (is_text(content) && (!type || strcmp(type, "application/pdf") != 0))
        return by_ending(texts, name);
    return type ? type : "application/octet-stream";
}
