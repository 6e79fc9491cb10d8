/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "create.h"
#include "environment.h"

#include <stdlib.h>
#include <string.h>

/* Launchers that run inside others come first: torchrun or mpirun may run in a job of SLURM, but
 * not the other way round. */
static const struct launcher {
    enum rec_launcher number;
    const char *name, *rank, *local_rank, *world;
    bool complete; /* use `rank` only if `world` is set: other programs set RANK, too */
} launchers[] = {
    {REC_LAUNCHER_TORCHRUN, "torchrun", "RANK", "LOCAL_RANK", "WORLD_SIZE", true},
    {REC_LAUNCHER_OPEN_MPI, "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_SIZE", false},
    {REC_LAUNCHER_MPICH, "MPICH", "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", false},
    {REC_LAUNCHER_PMIX, "PMIx", "PMIX_RANK", "PMIX_LOCAL_RANK", "PMIX_SIZE", false},
    {REC_LAUNCHER_SLURM, "SLURM", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS", false},
    {REC_LAUNCHER_SLURM, "SLURM", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", false},
};
enum { LAUNCHERS = sizeof(launchers) / sizeof(launchers[0]) };

/* The schedulers' ids come first, because people know a job by its scheduler's id. */
static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID",           "LSB_JOBID",
                                   "FLUX_JOB_ID",  "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE"};

static bool parse_number(const char *text, char last, uint32_t *ret, const char **ret_end) {
    char *end;

    if (!text || *text < '0' || *text > '9') {
        return false;
    }
    unsigned long number = strtoul(text, &end, 10);
    *ret = (uint32_t)number;
    *ret_end = end;
    return number <= INT32_MAX && (!*end || *end == last);
}

static const char *own_variable(const void *arg, const char *name) {
    (void)arg;
    return secure_getenv(name);
}

static const struct identity_environment own = {own_variable, NULL};

static const char *variable(const struct identity_environment *e, const char *name) {
    return e->get(e->arg, name);
}

static uint32_t number_in(const struct identity_environment *e, const char *name) {
    uint32_t number;
    const char *end;

    return parse_number(variable(e, name), 0, &number, &end) ? number : REC_RANK_NONE;
}

bool identity_parse_rank(const char *text, uint32_t *ret_rank, uint32_t *ret_world) {
    const char *end;

    *ret_world = REC_RANK_NONE;
    if (!parse_number(text, '/', ret_rank, &end)) {
        return false;
    }
    return !*end || (parse_number(end + 1, 0, ret_world, &end) && *ret_rank < *ret_world);
}

/* Fills in unknown numbers from a launcher's variables. Does nothing if REC_ENV_RANK has given the
 * rank, or if the launcher's rank differs from the known rank. */
static void parse_launcher(const struct identity_environment *e, struct rec_identity *i,
                           const struct launcher *l) {
    uint32_t rank = number_in(e, l->rank), world = number_in(e, l->world);

    if (rank == REC_RANK_NONE || (l->complete && world == REC_RANK_NONE)) {
        return;
    }
    if (i->rank == REC_RANK_NONE) {
        i->rank = rank;
        i->source = l->number;
    }
    if (i->rank != rank || i->source == REC_LAUNCHER_GIVEN) {
        return;
    }
    i->local_rank = i->local_rank == REC_RANK_NONE ? number_in(e, l->local_rank) : i->local_rank;
    i->world = i->world == REC_RANK_NONE && world > rank ? world : i->world;
}

static void parse_job(struct rec_identity *i, const char *job) {
    if (!*i->job && job && strcmp(job, "none") != 0) { /* "none": torchrun had no job id */
        strncpy(i->job, job, sizeof(i->job) - 1);
    }
}

static void read_environment(const struct identity_environment *e, const char *rank,
                             const char *job, struct rec_identity *ret) {
    *ret = (struct rec_identity){
        .rank = REC_RANK_NONE, .local_rank = REC_RANK_NONE, .world = REC_RANK_NONE};
    if (identity_parse_rank(rank, &ret->rank, &ret->world)) {
        ret->source = REC_LAUNCHER_GIVEN;
    } else {
        ret->rank = ret->world = REC_RANK_NONE;
    }
    for (size_t i = 0; i < LAUNCHERS; i++) {
        parse_launcher(e, ret, &launchers[i]);
    }
    parse_job(ret, job);
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        parse_job(ret, variable(e, jobs[i]));
    }
}

void identity_of(const char *rank, const char *job, struct rec_identity *ret) {
    read_environment(&own, rank, job, ret);
}

static bool is_doubtful(const struct identity_environment *e, const struct rec_identity *identity) {
    return identity->source == REC_LAUNCHER_SLURM && !variable(e, "SLURM_STEP_ID") &&
           !variable(e, "SLURM_STEPID");
}

void identity_read(struct rec_identity *ret) {
    identity_of(secure_getenv(REC_ENV_RANK), secure_getenv(REC_ENV_JOB), ret);
}

void identity_read_from(const struct identity_environment *e, bool several,
                        struct rec_identity *ret) {
    read_environment(e, variable(e, REC_ENV_RANK), variable(e, REC_ENV_JOB), ret);
    if (is_doubtful(e, ret) || (several && ret->source == REC_LAUNCHER_SLURM)) {
        ret->rank = ret->local_rank = ret->world = REC_RANK_NONE;
    }
}

const char *identity_launcher(uint32_t source) {
    for (size_t i = 0; i < LAUNCHERS; i++) {
        if (launchers[i].number == source) {
            return launchers[i].name;
        }
    }
    return REC_ENV_RANK;
}

bool identity_is_doubtful(const struct rec_identity *identity) {
    return is_doubtful(&own, identity);
}
