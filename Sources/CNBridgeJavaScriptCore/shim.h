// SPDX-License-Identifier: MIT
// The public C API of JavaScriptCore, and the types of the functions that the
// library exports without a header. Those are looked up at run time
// (JSEngine/PrivateAPI.swift), because a later library may drop them.
#pragma once

#include <JavaScriptCore/JavaScript.h>

// From <jsc/jsc.h>, whose other declarations this project does not need. Modes: 0 script, 1 module. Results:
// 0 it parses, 1 more text could mend it, 2 it can't be mended, 3 a literal does not end, 4 no memory, 5 no
// stack.
extern int jsc_options_set_boolean(const char *_Nonnull option, int value);
typedef struct _JSCContext JSCContext;
typedef struct _JSCException JSCException;
extern JSCContext *_Nullable jsc_context_new(void);
extern int jsc_context_check_syntax(JSCContext *_Nonnull context, const char *_Nonnull code, long length, int mode,
                                    const char *_Nullable uri, unsigned line,
                                    JSCException *_Nullable *_Nullable exception);
extern const char *_Nullable jsc_exception_get_message(JSCException *_Nonnull exception);
extern unsigned jsc_exception_get_line_number(JSCException *_Nonnull exception);
extern unsigned jsc_exception_get_column_number(JSCException *_Nonnull exception);

typedef bool (*NBJSShouldTerminate)(JSContextRef _Nonnull ctx, void *_Nullable context);
