# SPDX-License-Identifier: MIT
# How the address sanitizer looks, for every script that runs it from the project's folder. JavaScriptCore keeps memory for good, so
# leaks are not asked for; its own signal handlers and stack use don't bear the sanitizer's fake stack.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allow_user_segv_handler=1
