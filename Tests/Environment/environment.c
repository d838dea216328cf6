// SPDX-License-Identifier: MIT
//
// Variables of the tests' own process. They are set before it has a second thread: setenv(3) moves the list, and a test that did it beside
// others would pull it away under those that read.

#include <stdlib.h>

__attribute__((constructor)) static void set_variables(void) {
  setenv("NB_TEST_SECRET", "s", 1);
  setenv("NB_TEST_OPEN", "o", 1);
  setenv("NB_VARIABLE", "value", 1);
}
