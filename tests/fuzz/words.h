/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FUZZ_WORDS_H
#define NVTXH_TEST_FUZZ_WORDS_H
/* The fuzz targets whose input is no recording: strings, names of colours, printf formats,
 * programs, command lines. */
#include "formats.h"
#include "targets.h"
#include "../../nvtxh/color.h"
#include "../../recorder/cli/cli.h"
#include "../../recorder/elf/image.h"
#include "../../recorder/nsight/nsight_kind.h"
#include "../../recorder/output/quote.h"
#include "../../recorder/output/report.h"

#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void must(bool holds) {
    if (!holds) {
        abort();
    }
}

static char *text_of(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    must(text);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

static void fuzz_color(const uint8_t *data, size_t size) {
    char *name = text_of(data, size);
    uint32_t color = 1;

    must(nvtxh_color_by_name(name, &color) || color == 1);
    must(nvtxh_color_of(name) >> 24 == 0xff);
    free(name);
}

static bool has_control(const char *text) {
    for (; *text; text++) {
        bool c1 = (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
        if ((unsigned char)*text < 0x20 || *text == 0x7f || c1) {
            return true;
        }
    }
    return false;
}

/* The first two bytes say what the terminal can show, and how wide it is. */
static void fuzz_text(const uint8_t *data, size_t size) {
    if (size < 2) {
        return;
    }
    struct terminal t = {.is_one = data[0] & 1, .utf8 = data[0] & 2};
    size_t width = 4 + data[1] % 60, valid_size, json_size = 0;
    char *text = text_of(data + 2, size - 2), *json = NULL;

    setlocale(LC_CTYPE, t.utf8 ? "C.UTF-8" : "C");
    char *valid = utf8_copy(text, size - 2, &valid_size);
    must(utf8_is(valid, valid_size));
    char *shown = terminal_text(&t, text, size - 2);
    must(!has_control(shown));
    if (t.is_one) {
        terminal_shorten(&t, shown, width);
        must(terminal_width(&t, shown) <= width);
    }
    FILE *out = open_memstream(&json, &json_size);
    must(out);
    quote_json(out, text, size - 2);
    fclose(out);
    must(!has_control(json) || strstr(json, "\xc2")); /* JSON may have those of C1 */
    must(utf8_is(json, json_size));
    out = nowhere();
    quote_csv(out, text, size - 2);
    text_wrap(out, text, TEXT_WIDTH, width, 2);
    fclose(out);
    char *quoted = shell_quoted(text);
    free(quoted);
    free(json);
    free(shown);
    free(valid);
    free(text);
}

/* A file in memory that cannot be changed. */
static int file_of(const uint8_t *data, size_t size) {
    int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    must(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    return fd;
}

static void fuzz_list(const uint8_t *data, size_t size) {
    int fd = file_of(data, size);
    char path[64];
    struct error error;
    struct image image;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (image_open(&image, path, &error)) {
        struct sites sites;
        size_t letters = 0;
        sites_find(&sites, &image);
        for (size_t i = 0; i < sites.count; i++) {
            const struct site *s = &sites.all[i];
            letters += strlen(s->kind) + strlen(s->file) + strlen(s->function);
            letters += s->message ? strlen(s->message) : 0;
            letters += s->domain ? strlen(s->domain) : 0;
        }
        letters += image_symbols(&image).tool;
        must(image_uses_nvtx(&image) + image_is_musl(&image) + letters < SIZE_MAX);
        sites_free(&sites);
        image_close(&image);
    }
    close(fd);
}

static char database[] = "/tmp/nvtxh-fuzz-XXXXXX";

static void remove_database(void) {
    unlink(database);
}

/* A database of Nsight Systems: all that a report asks for, and the format that the last byte says.
 * SQLite opens no file of /proc/self/fd that has no name. */
static void fuzz_nsight(const uint8_t *data, size_t size) {
    static int fd = -1;
    struct error error;

    if (fd < 0) {
        fd = mkstemp(database);
        must(fd >= 0 && atexit(remove_database) == 0);
    }
    must(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    struct source *s = nsight_kind.recognizes(database) ? nsight_kind.open(database, &error) : NULL;
    if (s) {
        struct summary ranges;
        struct tree tree;
        struct gpu work;
        summary_make(&ranges, s, BY_RANGE);
        summary_free(&ranges);
        tree_make(&tree, s, false);
        tree_free(&tree);
        for (int by = 0; by <= GPU_BY_MERGED_PATH; by++) {
            gpu_make(&work, s, (enum gpu_by)by, 1, &error);
            gpu_free(&work);
        }
        export_as(&export_formats[data[size - 1] % EXPORT_FORMATS], s);
        s->kind->close(s);
    }
}

/* `exit` is fuzz_exit in all that is compiled here. */
#define FUZZED_COMMAND(name, what) {#name, cmd_##name},
#define NOT_FUZZED(name, what)
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} fuzzed_commands[] = {COMMANDS(FUZZED_COMMAND, NOT_FUZZED)};
static jmp_buf command_end;
static bool in_command;

void fuzz_exit(int status) {
    if (in_command) {
        longjmp(command_end, 1);
    }
    _exit(status);
}

enum { FILES = 3 };
static char paths[FILES][32];

/* In a command line, the words R, S, ... stand for the files of $FUZZ_FILES, which are separated by
 * colons. */
static void load_files(void) {
    const char *names = getenv("FUZZ_FILES");

    for (size_t count = 0; names && *names && count < FILES; count++) {
        char name[4096];
        size_t size = strcspn(names, ":");
        snprintf(name, sizeof(name), "%.*s", (int)size, names);
        int from = open(name, O_RDONLY | O_CLOEXEC);
        off_t length = from < 0 ? 0 : lseek(from, 0, SEEK_END);
        void *bytes = length ? mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, from, 0) : NULL;
        must(bytes && bytes != MAP_FAILED);
        snprintf(paths[count], sizeof(paths[0]), "/proc/self/fd/%d",
                 file_of(bytes, (size_t)length));
        munmap(bytes, (size_t)length);
        close(from);
        names += size + (names[size] == ':');
    }
}

static char *file_named(char *word) {
    unsigned which = (unsigned)(unsigned char)*word - 'R';
    return word[0] && !word[1] && which < FILES ? paths[which] : word;
}

/* Each line is a word of a command line. Without '/', paths stay in the working directory, which
 * was removed, so no file is made. Without ( { and \, no regular expression makes glibc take all
 * time or memory. */
static void fuzz_command(const uint8_t *data, size_t size) {
    static bool begun;
    char *argv[34], *text = text_of(data, size), *next = text;
    int argc = 0;

    if (!begun) {
        load_files();
        char directory[] = "/tmp/nvtxh-fuzz-XXXXXX";
        must(mkdtemp(directory) && chdir(directory) == 0 && rmdir(directory) == 0);
        begun = true;
    }
    for (char *c = text; *c; c++) {
        *c = *c && strchr("/({\\", *c) ? '_' : *c;
    }
    for (char *word; argc < 32 && (word = strsep(&next, "\n")); argc++) {
        argv[argc] = argc ? file_named(word) : word;
    }
    argv[argc] = NULL;
    for (size_t i = 0; i < sizeof(fuzzed_commands) / sizeof(fuzzed_commands[0]); i++) {
        if (!strcmp(argv[0], fuzzed_commands[i].name)) {
            optind = 0;
            in_command = true;
            if (!setjmp(command_end)) {
                fuzzed_commands[i].run(argc, argv);
            }
            in_command = false;
            break;
        }
    }
    free(text);
}

static const struct {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} word_targets[] = {{"color", fuzz_color}, {"format", fuzz_format}, {"words", fuzz_text},
                    {"list", fuzz_list},   {"nsight", fuzz_nsight}, {"command", fuzz_command}};

#endif /* NVTXH_TEST_FUZZ_WORDS_H */
