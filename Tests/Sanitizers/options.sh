# SPDX-License-Identifier: MIT
# How the address sanitizer looks, for every script that runs it from the project's folder. JavaScriptCore keeps memory for good, so
# leaks are not asked for; its own signal handlers and stack use don't bear the sanitizer's fake stack. Six frames of an allocation tell
# who made it, and little of what is freed is kept: with all of it a tenth more time would go into the sanitizer's own lists. Its memory
# stays its own: to give pages back and to touch them anew takes another tenth.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allow_user_segv_handler=1:malloc_context_size=6:quarantine_size_mb=16:max_malloc_fill_size=64:allocator_release_to_os_interval_ms=-1
