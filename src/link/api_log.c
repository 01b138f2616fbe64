/* The log of a link in the public interface; see warpld.h. */
#include <setjmp.h>
#include <stddef.h>

#include "link/handle.h"
#include "link/message_log.h"
#include "link/model/link_context.h"
#include "warpld.h"

enum warpld_status warpld_get_log(struct warpld_link *link, enum warpld_log_form form,
                                  const char **text, size_t *size)
{
    if (!link || !text || !size || (form != WARPLD_LOG_TEXT && form != WARPLD_LOG_JSON))
        return WARPLD_ERROR_ARGUMENT;
    *text = NULL;
    *size = 0;
    if (!link->options.keep_log)
        return WARPLD_END;
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    *text = message_log_write(&handle_of(link)->log, &link->arena, form, size);
    return WARPLD_OK;
}
