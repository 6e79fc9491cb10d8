/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A tool that installs no callback. With SILENT_FAILS its initialisation fails.
 */
int InitializeInjectionNvtx2(void *get_export_table);

int InitializeInjectionNvtx2(void *get_export_table) {
    (void)get_export_table;
#ifdef SILENT_FAILS
    return 0;
#else
    return 1;
#endif
}
