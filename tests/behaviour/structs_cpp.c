/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structs as payloads where only C++ can have them. */
#include "structs.h"

#ifdef __cplusplus
namespace {
NVTXH_PAYLOAD_STRUCT(point, (int, x), (int, y));
}
namespace space {
NVTXH_PAYLOAD_ENUM(kind, (ONE), (TWO));
NVTXH_PAYLOAD_STRUCT(thing, (enum kind, first), (struct point, at));
struct holder {
    NVTXH_PAYLOAD_STRUCT(inner, (int, n));
    struct inner inside;
};
} // namespace space
enum class scoped : unsigned char { a, b };

template <class value_type>
static void in_template(value_type *value) {
    NVTX_MARK("t", .payload = nvtxh_payload(value));
}

void in_cpp(void **state) {
    NVTXH_PAYLOAD_STRUCT(local, (int, n), (scoped, s));
    struct local local = {7, scoped::b};
    space::thing thing = {space::TWO, {1, 2}};
    space::holder holder = {{9}};

    (void)state;
    in_template(&local);
    in_template(&thing);
    NVTX_MARK("u", .payload = nvtxh_payload(&holder.inside));
    logged(EXTENDED("mark [t] local{n=7 s=1}; mark [t] thing{first=TWO at=point{x=1 y=2}}; "
                    "mark [u] inner{n=9}",
                    "mark [t] i32=7; mark [t] u32=1; mark [u] i32=9"));
}
#endif
