/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvtxh pause, and nvtxh resume. */
#include "cli.h"
#include "options.h"
#include "output_file.h"
#include "../format/clock.h"
#include "../format/create.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const examples_pause[] = {"nvtxh pause live.nvtxh", "nvtxh resume live.nvtxh",
                                             "nvtxh record --paused -o late.nvtxh -- ./app"};
static const char about_pause[] =
    "Pauses a recording: no process records anything until nvtxh resume. Open ranges end at this "
    "moment. A process may notice the pause up to two seconds later; reports leave out the events "
    "in between.";
static const char *const examples_resume[] = {"nvtxh resume live.nvtxh", "nvtxh pause live.nvtxh",
                                              "nvtxh record --paused -o later.nvtxh -- ./app"};
static const char about_resume[] = "Resumes a paused recording.";

/* Writes the request to pause or to resume into the header; the recorded processes read it. */
static int tell(struct rec_pauses *p, bool pause, const char *path) {
    uint32_t count = __atomic_load_n(&p->count, __ATOMIC_RELAXED);
    uint64_t now = clock_ticks(clock_choose());

    if ((count & 1) == pause) {
        cli_say("%s is %s", path, pause ? "paused already" : "not paused");
        return EXIT_DONE;
    }
    __atomic_store_n(&p->ticks[count % REC_PAUSES], now, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(&p->count, &count, count + 1, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED) &&
        pause) {
        cli_say("%s is paused; nvtxh resume continues it", path);
    }
    return EXIT_DONE;
}

static int pause_or_resume(const char *path, bool pause) {
    struct stat st;
    int fd = rec_join(path, NULL);

    if (fd < 0) {
        return cli_fail("%s: %s", path,
                        errno == EINVAL ? "not a recording of nvtxh" : strerror(errno));
    }
    bool own = fstat(fd, &st) == 0 && st.st_uid == geteuid();
    struct rec_header *header =
        mmap(NULL, REC_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int error = errno;
    close(fd);
    if (header == MAP_FAILED) {
        return cli_fail("%s: %s", path, strerror(error));
    }
    int status;
    if (!own) {
        status = cli_fail("%s: the recording is another user's", path);
    } else if (header->end.ticks && !output_file_is_busy(path)) {
        status = cli_fail("%s: the recording has ended", path);
    } else {
        status = tell(&header->control.pauses, pause, path);
    }
    munmap(header, REC_HEADER_SIZE);
    return status;
}

static const struct cli_option none[] = {{.name = NULL}};

int cmd_pause(int argc, char **argv) {
    struct options o = {"pause", "REC", about_pause, NULL, none, ONE_RECORDING, examples_pause};

    options_parse(&o, argc, argv);
    return pause_or_resume(argv[optind], true);
}

int cmd_resume(int argc, char **argv) {
    struct options o = {"resume", "REC", about_resume, NULL, none, ONE_RECORDING, examples_resume};

    options_parse(&o, argc, argv);
    return pause_or_resume(argv[optind], false);
}
