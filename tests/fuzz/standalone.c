/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over every file of the directories it is given, without libFuzzer. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

static void die(const char *what, const char *name)
{
    fprintf(stderr, "%s: ", what);
    perror(name);
    exit(1);
}

static void run_file(int directory, const char *name)
{
    struct stat st;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        die("open", name);
    /* Exactly as long as the file, so that a sanitizer sees a byte too far. */
    size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size ? size : 1);
    if (!data || read(fd, data, size) != (ssize_t)size)
        die("read", name);
    close(fd);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int run_directory(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        die("open", path);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.') {
            run_file(dirfd(directory), entry->d_name);
            count++;
        }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        count += run_directory(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
