#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace proa {

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "proa: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace proa
