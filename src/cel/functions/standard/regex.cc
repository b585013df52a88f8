#include "cel/functions/standard/regex.h"

namespace proa::cel {

RE2::Options regex_options() {
  RE2::Options options;
  options.set_log_errors(false);
  // For the pattern and for what it remembers while it matches: 20,000 instructions. Programs keep
  // their patterns.
  options.set_max_mem(2 << 20);
  return options;
}

namespace regex_words {

struct Words {
  RE2::ErrorCode code;
  std::string_view go;
};
constexpr Words kWords[] = {
    {RE2::ErrorBadEscape, "invalid escape sequence"},
    {RE2::ErrorBadCharClass, "invalid character class"},
    {RE2::ErrorBadCharRange, "invalid character class range"},
    {RE2::ErrorMissingBracket, "missing closing ]"},
    {RE2::ErrorMissingParen, "missing closing )"},
    {RE2::ErrorUnexpectedParen, "unexpected )"},
    {RE2::ErrorTrailingBackslash, "trailing backslash at end of expression"},
    {RE2::ErrorRepeatArgument, "missing argument to repetition operator"},
    {RE2::ErrorRepeatSize, "invalid repeat count"},
    {RE2::ErrorRepeatOp, "invalid nested repetition operator"},
    {RE2::ErrorBadPerlOp, "invalid or unsupported Perl syntax"},
    {RE2::ErrorBadUTF8, "invalid UTF-8"},
    {RE2::ErrorBadNamedCapture, "invalid named capture"},
};

}  // namespace regex_words

std::string regex_error(const RE2& pattern, std::string_view text) {
  // Go shows the whole pattern where a bracket is missing, else the part that is wrong.
  const bool whole = pattern.error_code() == RE2::ErrorMissingParen ||
                     pattern.error_code() == RE2::ErrorUnexpectedParen;
  const std::string part = whole ? std::string(text) : pattern.error_arg();
  for (const regex_words::Words& words : regex_words::kWords) {
    if (words.code != pattern.error_code()) continue;
    return "error parsing regexp: " + std::string(words.go) + ": `" + part + "`";
  }
  return "error parsing regexp: " + pattern.error();
}

}  // namespace proa::cel
