/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char letters[] = "hprjn%";

bool output_name_has(const char *name, char letter)
{
    for (; (name = strchr(name, '%')) != NULL && name[1]; name += 2) {
        if (name[1] == letter) {
            return true;
        }
    }
    return false;
}

char output_name_mistake(const char *name)
{
    for (; (name = strchr(name, '%')) != NULL; name += 2) {
        if (!name[1] || !strchr(letters, name[1])) {
            return name[1] ? name[1] : '%';
        }
    }
    return 0;
}

static void fill_in(char letter, const struct rec_identity *who, unsigned number, char ret[80])
{
    ret[0] = 0;
    switch (letter) {
    case 'h':
        gethostname(ret, 64);
        break;
    case 'p':
        snprintf(ret, 80, "%d", (int)getpid());
        break;
    case 'r':
        snprintf(ret, 80, who->rank == REC_RANK_NONE ? "none" : "%u", who->rank);
        break;
    case 'j':
        snprintf(ret, 80, "%s", *who->job ? who->job : "none");
        break;
    case 'n':
        snprintf(ret, 80, "%u", number);
        break;
    default:
        snprintf(ret, 80, "%c", letter);
        break;
    }
    ret[79] = 0;
    for (char *slash = ret; (slash = strchr(slash, '/')) != NULL;) {
        *slash = '_';
    }
}

bool output_name_expand(const char *name, const struct rec_identity *who, unsigned number, char ret_path[PATH_MAX])
{
    size_t used = 0;
    char field[80];

    errno = ENAMETOOLONG;
    for (; *name; name++) {
        bool is_field = *name == '%' && name[1] && strchr(letters, name[1]);
        if (is_field) {
            fill_in(*++name, who, number, field);
        } else {
            field[0] = *name;
            field[1] = 0;
        }
        size_t size = strlen(field);
        if (used + size >= PATH_MAX) {
            return false;
        }
        memcpy(ret_path + used, field, size);
        used += size;
    }
    ret_path[used] = 0;
    return true;
}

bool output_name_escape(const char *text, char ret_name[PATH_MAX])
{
    size_t used = 0;

    for (; *text; text++) {
        if (used + 2 >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        ret_name[used++] = *text;
        if (*text == '%') {
            ret_name[used++] = '%';
        }
    }
    ret_name[used] = 0;
    return true;
}

bool output_name_make_directories(const char *path)
{
    char directory[PATH_MAX];
    size_t size = strnlen(path, PATH_MAX - 1);

    memcpy(directory, path, size);
    directory[size] = 0;
    for (char *slash = directory; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = 0;
        if (mkdir(directory, 0777) < 0 && errno != EEXIST && access(directory, X_OK) != 0) {
            return false;
        }
        *slash = '/';
    }
    return true;
}
