/* Names in reports; see report.h. */
#include "report/report.h"

#include <string.h>

#include "readable_name/readable_name.h"

/* Whether the name may be mangled. This quick check saves time, because most names of a large link
 * are not mangled. */
static bool may_be_mangled(const char *name)
{
    return *name == '$' || (*name == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == '_'));
}

struct report_message report_message_of(const struct warpld_diagnostic *diagnostic)
{
    return (struct report_message){
        .severity = diagnostic->severity,
        .code = diagnostic->code,
        .text = diagnostic->text,
        .input = diagnostic->input,
        .symbol = diagnostic->symbol,
    };
}

const char *report_name(const struct report *report, const char *name)
{
    if (report->keeps_mangled || !may_be_mangled(name))
        return name;
    return readable_message_name(report->names, name);
}

const char *report_kind_name(enum warpld_symbol_kind kind)
{
    static const char *const NAMES[] = {
        [WARPLD_SYMBOL_OTHER] = "other",       [WARPLD_SYMBOL_KERNEL] = "kernel",
        [WARPLD_SYMBOL_FUNCTION] = "function", [WARPLD_SYMBOL_GLOBAL] = "global",
        [WARPLD_SYMBOL_CONSTANT] = "constant", [WARPLD_SYMBOL_SHARED] = "shared",
        [WARPLD_SYMBOL_LOCAL] = "local",       [WARPLD_SYMBOL_TEXTURE] = "texture",
    };
    return NAMES[kind];
}

const char *report_space_name(enum warpld_space space)
{
    static const char *const NAMES[] = {
        [WARPLD_SPACE_NONE] = "file",         [WARPLD_SPACE_CODE] = "code",
        [WARPLD_SPACE_CONSTANT] = "constant", [WARPLD_SPACE_GLOBAL] = "global",
        [WARPLD_SPACE_SHARED] = "shared",     [WARPLD_SPACE_LOCAL] = "local",
    };
    return NAMES[space];
}
