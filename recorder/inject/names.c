/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"
#include "options.h"
#include "process.h"
#include "table.h"

#include <string.h>

uint32_t names_default;
static bool captured[REC_DOMAIN_MAX + 1];

uint32_t names_bad_handle(void)
{
    process_lose(REC_LOSS_HANDLE);
    return 0;
}

static bool request(struct table_request *r, void (*f)(struct stream *, void *))
{
    if (r->domain == NAMES_UNWANTED) { /* handles are given out all the same */
        r->domain = 0;
        if (f == table_rename || f == table_note) {
            return true;
        }
    }
    if (r->size > REC_TEXT_MAX) {
        r->size = REC_TEXT_MAX;
        process_lose(REC_LOSS_CUT_TEXT);
    }
    return process_with_names(f, r) && !r->failed;
}

void names_init(void)
{
    names_default = options_want_domain(NULL) ? 0 : NAMES_UNWANTED;
    captured[0] = options_capture_domain(NULL);
}

bool names_default_usual(void)
{
    return !names_default && !captured[0];
}

bool names_captures(uint32_t domain)
{
    return __atomic_load_n(&captured[domain], __ATOMIC_RELAXED);
}

void *names_domain_handle(const char *name)
{
    struct table_request r = {.kind = REC_DOMAIN, .body = name, .size = name ? strlen(name) : 0};
    bool capture = name && (options_capture_domain(name) ||
                            (process_is_linked() && !strcmp(name, CAPTURE_DOMAIN)));
    bool wanted = capture || !name || options_want_domain(name);

    if (!name || !request(&r, table_number)) {
        return NULL;
    }
    if (capture) {
        __atomic_store_n(&captured[r.id], true, __ATOMIC_RELAXED);
    }
    uintptr_t id = r.id | (capture ? NAMES_SPECIAL : 0) | (wanted ? 0 : NAMES_EXCLUDED);
    return names_handle(id, 1);
}

uint32_t names_special_domain(uintptr_t handle)
{
    uintptr_t id = handle >> NAMES_HANDLE_SHIFT, plain = id & REC_DOMAIN_MAX;
    uintptr_t special = id - plain;

    if ((special != NAMES_SPECIAL && special != NAMES_EXCLUDED) ||
        plain > __atomic_load_n(&names_domains, __ATOMIC_RELAXED)) {
        return names_bad_handle();
    }
    return special == NAMES_EXCLUDED ? NAMES_UNWANTED : (uint32_t)plain;
}

void names_string_text(const void *handle, char *ret_text, size_t room)
{
    *ret_text = 0;
    process_with_names(
        table_find_string,
        &(struct table_text){(uint32_t)((uintptr_t)handle >> NAMES_HANDLE_SHIFT), ret_text, room});
}

uint32_t names_registered(uint32_t domain, const char *text)
{
    struct table_request r = {
        .kind = REC_REGISTERED, .domain = domain, .body = text, .size = text ? strlen(text) : 0};
    return text && request(&r, table_number) ? r.id : 0;
}

void names_category(uint32_t domain, uint32_t category, const char *name)
{
    if (name) {
        request(&(struct table_request){.kind = REC_CATEGORY,
                                        .domain = domain,
                                        .id = category,
                                        .body = name,
                                        .size = strlen(name)},
                table_rename);
    }
}

void names_thread(uint32_t tid, const char *name)
{
    if (name) {
        request(
            &(struct table_request){
                .kind = REC_THREAD, .id = tid, .body = name, .size = strlen(name)},
            table_rename);
    }
}

void names_gone(uint32_t domain)
{
    names_note(REC_GONE, domain, 0, NULL, 0);
}

void names_note(enum rec_kind kind, uint32_t domain, uint32_t id, const void *body, size_t size)
{
    request(
        &(struct table_request){
            .kind = kind, .domain = domain, .id = id, .body = body, .size = size},
        table_note);
}

uint64_t names_define(enum rec_kind kind, uint32_t domain, void *body, size_t size, bool unique)
{
    struct table_request r = {.kind = kind,
                              .domain = domain,
                              .id = kind == REC_TIME ? REC_TIME_DOMAIN : 0,
                              .body = body,
                              .size = size,
                              .number = body,
                              .unique = unique};
    uint64_t given = 0;

    if (size <= REC_TEXT_MAX && request(&r, table_define)) {
        memcpy(&given, body, sizeof(given));
    } else {
        process_lose(REC_LOSS_SCHEMA);
    }
    return given;
}

uint32_t names_resource(uint32_t domain, const void *body, size_t size, bool unique)
{
    struct table_request r = {
        .kind = REC_RESOURCE, .domain = domain, .body = body, .size = size, .unique = unique};
    return request(&r, table_resource) ? r.id : 0;
}

void names_resource_gone(uint32_t id)
{
    request(&(struct table_request){.id = id}, table_resource_gone);
}
