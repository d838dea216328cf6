// SPDX-License-Identifier: MIT
// The public C API of JavaScriptCore, and the types of the functions that the
// library exports without a header. Those are looked up at run time
// (JSEngine/PrivateAPI.swift), because a later library may drop them.
#pragma once

#include <JavaScriptCore/JavaScript.h>

// From <jsc/jsc.h>, whose other declarations nobody needs here.
extern int jsc_options_set_boolean(const char *_Nonnull option, int value);

typedef bool (*NBJSShouldTerminate)(JSContextRef _Nonnull ctx, void *_Nullable context);
