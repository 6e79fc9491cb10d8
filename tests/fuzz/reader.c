/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libFuzzer on the readers of recordings and of other unchecked input: whatever it contains, they
 * end normally. $FUZZ_TARGET names what is done with an input: a format, or one of targets.h, takes
 * it as a recording, one of words.h takes its bytes. Without $FUZZ_TARGET the names are printed.
 * Chunks begin at multiples of 16 KiB, but libFuzzer's inputs are denser: the first 200 bytes are
 * the header's, then come chunks of 64 bytes and more, which are moved to their places. */
#include "targets.h"
#include "words.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD 200u /* what is kept of the file's header */
#define MOST 40u  /* chunks */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct export_format *format;
static void (*target)(struct recording *);
static void (*word_target)(const uint8_t *data, size_t size);

/* Whether the name is $FUZZ_TARGET. Prints it if there is no $FUZZ_TARGET. */
static bool is_wanted(const char *name) {
    const char *wanted = getenv("FUZZ_TARGET");

    if (!wanted) {
        puts(name);
    }
    return wanted && !strcmp(name, wanted);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < EXPORT_FORMATS; i++) {
        format = is_wanted(export_formats[i].name) ? &export_formats[i] : format;
    }
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        target = is_wanted(targets[i].name) ? targets[i].run : target;
    }
    for (size_t i = 0; i < sizeof(word_targets) / sizeof(word_targets[0]); i++) {
        word_target = is_wanted(word_targets[i].name) ? word_targets[i].run : word_target;
    }
    if (!getenv("FUZZ_TARGET")) {
        fflush(stdout);
        _exit(0);
    }
    if (!format && !target && !word_target) {
        fprintf(stderr, "FUZZ_TARGET names no target\n");
        _exit(2);
    }
    return 0;
}

/* A dense input as the file it stands for. */
static void spread(int fd, const uint8_t *data, size_t size) {
    uint64_t offset = REC_HEADER_SIZE;
    size_t at = HEAD;

    if (pwrite(fd, data, size < HEAD ? size : HEAD, 0) < 0 || ftruncate(fd, REC_HEADER_SIZE) < 0) {
        abort();
    }
    for (unsigned i = 0; i < MOST && size > at + REC_CHUNK_HEADER; i++) {
        struct rec_chunk chunk;
        memcpy(&chunk, data + at, sizeof(chunk));
        size_t used = chunk.used < REC_CHUNK_HEADER ? REC_CHUNK_HEADER : (size_t)chunk.used;
        used = used < size - at ? used : size - at;
        if (pwrite(fd, data + at, used, (off_t)offset) < 0) {
            abort();
        }
        at += used;
        offset += (used + REC_ALIGN - 1) / REC_ALIGN * REC_ALIGN;
        if (ftruncate(fd, (off_t)offset) < 0) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], damage[256];
    struct error error;
    struct recording r;

    if (word_target) {
        word_target(data, size);
        return 0;
    }
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0) {
        abort();
    }
    spread(fd, data, size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (recording_open(&r, path, &error)) {
        recording_source(&r);
        if (format) {
            export_as(format, &r.source);
        } else {
            target(&r);
        }
        recording_damage(&r.source, damage, sizeof(damage));
        recording_close(&r);
    }
    close(fd);
    return 0;
}
