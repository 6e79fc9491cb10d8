/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defines and renames what each line of stdin says: WHAT DOMAIN NUMBER SIZE LETTER. The text is the
 * letter, SIZE times. Domain 0 is the default domain.
 *
 *   c category NUMBER    t thread NUMBER    s registered string
 *   r resource: handle and identifier are NUMBER    d destroy resource NUMBER
 *   f fork: the child makes a mark
 *   m category NUMBER, with this text and with another one by turns, again and again: prints by how
 *     many kB that has made the process larger */
#include "program.h"

#include <string.h>
#include <sys/wait.h>

enum { TURNS = 20000, RESOURCES = 1 << 10, LONGEST = 1 << 13 };

static nvtxDomainHandle_t domains[3];
static nvtxResourceHandle_t resources[RESOURCES];

static void name_category(int domain, unsigned number, const char *text) {
    domain ? nvtxDomainNameCategoryA(domains[domain], number, text)
           : nvtxNameCategoryA(number, text);
}

static void create_resource(int domain, unsigned number, const char *text) {
    nvtxResourceAttributes_t a = {0};

    a.version = NVTX_VERSION;
    a.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    a.identifierType = NVTX_RESOURCE_TYPE_GENERIC_HANDLE;
    a.identifier.ullValue = number;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
    resources[number] = nvtxDomainResourceCreate(domains[domain], &a);
    MUST(resources[number]);
}

static void make_child(void) {
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        nvtxMarkA("of a child");
        _exit(0);
    }
    MUST(waitpid(child, &status, 0) == child && status == 0);
}

static long long own_kb(void) {
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long long kb = -1;

    while (f && kb < 0 && fgets(line, sizeof(line), f)) {
        sscanf(line, "RssAnon: %lld", &kb);
    }
    MUST(kb >= 0);
    fclose(f);
    return kb;
}

static void rename_often(int domain, unsigned number, char *text) {
    long long before = 0;

    for (int i = 0; i <= TURNS; i++) {
        if (i == 10) {
            before = own_kb();
        }
        text[0] ^= i != 0; /* it ends as it began */
        name_category(domain, number, text);
    }
    printf("%lld\n", own_kb() - before);
}

int main(void) {
    char what, letter, text[LONGEST + 1];
    unsigned number;
    int domain, size;

    domains[1] = nvtxDomainCreateA("one");
    domains[2] = nvtxDomainCreateA("two");
    while (scanf("%c %d %u %d %c\n", &what, &domain, &number, &size, &letter) == 5) {
        memset(text, letter, (size_t)size);
        text[size] = 0;
        switch (what) {
        case 'c':
            name_category(domain, number, text);
            break;
        case 't':
            nvtxNameOsThreadA(number, text);
            break;
        case 's':
            MUST(nvtxDomainRegisterStringA(domains[domain], text));
            break;
        case 'r':
            create_resource(domain, number, text);
            break;
        case 'd':
            nvtxDomainResourceDestroy(resources[number]);
            break;
        case 'm':
            rename_often(domain, number, text);
            break;
        default:
            make_child();
        }
    }
    return 0;
}
