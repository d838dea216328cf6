// SPDX-License-Identifier: MIT
// Nothing is called: what is linked with it has the variables of environment.c.
#pragma once
