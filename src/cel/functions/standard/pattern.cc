#include "cel/functions/standard/pattern.h"

#include "cel/functions/standard/regex.h"

namespace proa::cel {

std::string pattern_problem(std::string_view pattern) {
  const RE2 compiled(go_pattern(pattern), regex_options());
  return compiled.ok() ? std::string() : regex_error(compiled, pattern);
}

}  // namespace proa::cel
