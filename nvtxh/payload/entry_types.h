/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_ENTRY_TYPES_H
#define NVTXH_PAYLOAD_ENTRY_TYPES_H

/* The table of types: what a C type is as a field of a struct (NVTX's entry types), and as a payload by itself
 * (NVTXH_I_PAYLOAD_U64 and so on in attr.h). A row is f(C type, suffix of NVTX_PAYLOAD_ENTRY_TYPE_, number of this
 * entry type, ...). long is 64 bits wide. Not API. */

/* clang-format off */
/* Payloads, by their numbers in attr.h. The last two columns are suffixes of NVTXH_I_PAYLOAD_ and nvtxh_i_payload_. */
#define NVTXH_I_PAYLOAD_TYPES(f)                                                                                       \
    f(unsigned long, UINT64, 18, U64, u64) f(long, INT64, 17, I64, i64) f(double, DOUBLE, 20, F64, f64)                \
    f(unsigned, UINT32, 16, U32, u32) f(int, INT32, 15, I32, i32) f(float, FLOAT, 19, F32, f32)
#define NVTXH_I_PAYLOAD_ALIASES(f)                                                                                     \
    f(unsigned long long, UINT64, 18, U64, u64) f(long long, INT64, 17, I64, i64)
/* Integers narrower than int, and the type that they are read as. The number 200 is ours, not NVTX's. */
#define NVTXH_I_NARROW_TYPES(f)                                                                                        \
    f(char, CHAR, 1, signed char) f(unsigned char, UINT8, 12, unsigned char) f(signed char, INT8, 11, signed char)     \
    f(short, INT16, 13, short) f(unsigned short, UINT16, 14, unsigned short) f(bool, BOOL, 200, unsigned char)
/* Fields only, not payloads by themselves. */
#define NVTXH_I_FIELD_TYPES(f)                                                                                         \
    f(long double, LONGDOUBLE, 21, ) f(const void *, ADDRESS, 23, ) f(const char *, CSTRING, 75, )
#define NVTXH_I_FIELD_ALIASES(f) f(void *, ADDRESS, 23, ) f(char *, CSTRING, 75, )
/* Every C type, once. */
#define NVTXH_I_ENTRY_TYPES(f)                                                                                         \
    NVTXH_I_PAYLOAD_TYPES(f) NVTXH_I_PAYLOAD_ALIASES(f) NVTXH_I_NARROW_TYPES(f)                                        \
    NVTXH_I_FIELD_TYPES(f) NVTXH_I_FIELD_ALIASES(f)
/* clang-format on */

#define NVTXH_I_ENTRY(T, name, number, ...) NVTXH_I_ENTRY_##name = number,
enum { NVTXH_I_PAYLOAD_TYPES(NVTXH_I_ENTRY) NVTXH_I_NARROW_TYPES(NVTXH_I_ENTRY) NVTXH_I_FIELD_TYPES(NVTXH_I_ENTRY) };

#endif
