// SPDX-License-Identifier: MIT
//
// The layout is a promise to plugins that were built before: a change that moves a field does not compile.

#include "nbridge_plugin.h"

#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "the size of " #type " changed")

_Static_assert(sizeof(void *) == 8, "nBridge plugins are for 64-bit systems");

SIZE(nbridge_bytes, 40);
AT(nbridge_bytes, owner, 16);
AT(nbridge_bytes, release, 32);

SIZE(nbridge_value, 56);
AT(nbridge_value, number, 8);
AT(nbridge_value, text, 16);
AT(nbridge_value, bytes, 32);
AT(nbridge_value, release, 48);

SIZE(nbridge_request, 88);
AT(nbridge_request, call, 8);
AT(nbridge_request, deadline, 16);
AT(nbridge_request, credit, 24);
AT(nbridge_request, option, 32);

SIZE(nbridge_host, 128);
AT(nbridge_host, settle, 8);
AT(nbridge_host, emit, 16);
AT(nbridge_host, post, 24);
AT(nbridge_host, log, 32);
AT(nbridge_host, invoke, 40);
AT(nbridge_host, exit, 48);
AT(nbridge_host, allows, 56);
AT(nbridge_host, record, 64);
AT(nbridge_host, begin_invocation, 72);
AT(nbridge_host, cancel_invocation, 80);
AT(nbridge_host, pull, 88);
AT(nbridge_host, call_back, 96);

SIZE(nbridge_feed, 80);
AT(nbridge_feed, index, 8);
AT(nbridge_feed, number, 16);
AT(nbridge_feed, value, 24);

SIZE(nbridge_invocation, 72);
AT(nbridge_invocation, service, 8);
AT(nbridge_invocation, option, 40);
AT(nbridge_invocation, deadline, 48);
AT(nbridge_invocation, done, 56);

SIZE(nbridge_record, 56);
AT(nbridge_record, message, 8);
AT(nbridge_record, fields, 24);
AT(nbridge_record, place, 40);

SIZE(nbridge_start, 40);
AT(nbridge_start, context, 16);
AT(nbridge_start, environment, 24);

SIZE(nbridge_plugin, 144);
AT(nbridge_plugin, magic, 0);
AT(nbridge_plugin, size, 4);
AT(nbridge_plugin, major, 8);
AT(nbridge_plugin, user, 16);
AT(nbridge_plugin, describe, 24);
AT(nbridge_plugin, start, 32);
AT(nbridge_plugin, stop, 40);
AT(nbridge_plugin, call, 48);
AT(nbridge_plugin, cancel, 56);
AT(nbridge_plugin, grant, 64);
AT(nbridge_plugin, lifecycle, 72);
AT(nbridge_plugin, feed, 80);
