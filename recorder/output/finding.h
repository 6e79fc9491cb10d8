/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Findings and explanations in words. */
#include "../analysis/explain.h"
#include "../analysis/findings.h"

/* A sentence without its full stop, in UTF-8 if `utf8`, else in ASCII but for names. Free it. */
char *finding_text(const struct finding *f, bool utf8);

/* Lines with what matters most of an explanation, separated by \n. Free it. */
char *explanation_text(struct source *s, const struct explanation *e, bool utf8);
/* All of it, as an array of JSON: see report.schema.json. Free it. */
char *explanation_json(struct source *s, const struct explanation *e);
