/* SPDX-License-Identifier: MIT */
/*
 * bench_extract REPLY...: MB/s of a search for one byte, of the search for fences and of whole
 * extractions, over prose without a fence and over the replies in the files. One line per measure: name,
 * tab, median. All measures are taken in turn, round by round, so that a slow moment of the machine
 * hits all alike. bench_extract.py makes a table of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "fencerun/extract.h"
#include "loop/scan.h"

enum { ROUNDS = 15, PROSE_BYTES = 16 << 20, REPEATS = 50 };

typedef struct bench {
    fri_buf prose;
    fri_buf *replies;
    size_t count;
    size_t bytes; /* of all replies */
} bench;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void make_prose(fri_buf *prose)
{
    static const char text[] =
        "The method is simple: sort the list, then walk through it once and keep the last value seen.\n"
        "Sorting takes n log n steps, which is as good as it gets for comparisons; the walk takes n.\n"
        "If the values are small whole numbers, counting them is faster, since nothing is compared.\n\n";
    fri_buf_init(prose, PROSE_BYTES + sizeof(text));
    while (prose->n < PROSE_BYTES)
        fri_buf_puts(prose, text);
}

static void read_file(const char *path, fri_buf *reply)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    fri_buf_init(reply, 1 << 20);
    if (fd < 0)
        die(path);
    for (char *p; (p = fri_buf_reserve(reply, 4096)) && (n = read(fd, p, 4096)) > 0;)
        fri_buf_grow(reply, (size_t)n);
    close(fd);
}

static double search_byte(const bench *b)
{
    const char *volatile hit = memchr(b->prose.p, '\1', b->prose.n);
    return hit ? 0 : (double)b->prose.n;
}

static double search_fences(const bench *b)
{
    fri_scan scan;
    size_t at;
    if (fri_scan_init(&scan, 1, NULL, 0, NULL))
        die("scan");
    int found = fri_scan_next(&scan, b->prose.p, 0, b->prose.n, &at, NULL);
    fri_scan_dispose(&scan);
    return found ? 0 : (double)b->prose.n;
}

static void extract(const fri_buf *text)
{
    fr_extraction *x = NULL;
    if (fr_extract_text(text->p, text->n, NULL, &x, NULL))
        die("extract");
    fr_extraction_free(x);
}

static double extract_prose(const bench *b)
{
    extract(&b->prose);
    return (double)b->prose.n;
}

static double extract_replies(const bench *b)
{
    for (int k = 0; k < REPEATS; k++)
        for (size_t i = 0; i < b->count; i++)
            extract(&b->replies[i]);
    return (double)b->bytes * REPEATS;
}

static const struct {
    const char *name;
    double (*run)(const bench *b); /* returns bytes */
} measures[] = {
    {"memchr, prose", search_byte},
    {"search for fences, prose", search_fences},
    {"fr_extract, prose", extract_prose},
    {"fr_extract, replies", extract_replies},
};

enum { MEASURES = sizeof(measures) / sizeof(measures[0]) };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double rate[MEASURES][ROUNDS];
    bench b = {.count = (size_t)argc - 1};
    make_prose(&b.prose);
    b.replies = calloc(b.count + 1, sizeof(*b.replies));
    if (!b.replies)
        die("calloc");
    for (size_t i = 0; i < b.count; i++) {
        read_file(argv[i + 1], &b.replies[i]);
        b.bytes += b.replies[i].n;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int m = 0; m < MEASURES; m++) {
            int64_t start = fri_now_ns();
            double bytes = measures[m].run(&b);
            rate[m][round] = bytes * 1e3 / (double)(fri_now_ns() - start);
        }
    for (int m = 0; m < MEASURES; m++) {
        qsort(rate[m], ROUNDS, sizeof(rate[m][0]), by_value);
        printf("%s\t%.1f\n", measures[m].name, rate[m][ROUNDS / 2]);
    }
    for (size_t i = 0; i < b.count; i++)
        fri_buf_dispose(&b.replies[i]);
    free(b.replies);
    fri_buf_dispose(&b.prose);
    return 0;
}
