#include "cel/functions/standard/regex.h"

#include <algorithm>

namespace proa::cel {
namespace regex_pattern {

// Stands for \C, which RE2 takes and Go does not: no escape sequence of RE2. A private character.
constexpr std::string_view kNoEscape = "\\\xEE\x80\x80";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Where the part at the start of `text` ends that stands for itself: a class, quoted text.
size_t end_of(std::string_view text, size_t from, std::string_view end) {
  const size_t found = text.find(end, from);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

// A bracket that comes first is a character of the class; those of [:alpha:] do not end it.
size_t end_of_class(std::string_view text) {
  size_t at = text.starts_with("[^") ? 2 : 1;
  if (at < text.size() && text[at] == ']') ++at;
  while (at < text.size() && text[at] != ']') {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("[:")) {
      at += end_of(rest, 2, ":]");
    } else {
      at += rest.starts_with('\\') && rest.size() > 1 ? 2 : 1;
    }
  }
  return std::min(at + 1, text.size());
}

// The length of "(?<name>" or "(?P<name>" at the start of `text`; 0: there is no such group.
size_t named_group(std::string_view text) {
  size_t name = 0;
  if (text.starts_with("(?<")) name = 3;
  if (text.starts_with("(?P<")) name = 4;
  const size_t end = name == 0 ? std::string_view::npos : text.find('>', name);
  if (end == std::string_view::npos || !is_name(text.substr(name, end - name))) return 0;
  return end + 1;
}

bool is_lookbehind(std::string_view text) {
  return text.starts_with("(?<=") || text.starts_with("(?<!");
}

}  // namespace regex_pattern

std::string go_pattern(std::string_view text) {
  using namespace regex_pattern;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    size_t length = 1;
    std::string_view written;
    if (rest.starts_with("\\Q")) {
      length = end_of(rest, 2, "\\E");
    } else if (rest.starts_with("\\C")) {
      length = 2;
      written = kNoEscape;
    } else if (rest.starts_with('\\')) {
      length = std::min<size_t>(2, rest.size());
    } else if (rest.starts_with('[')) {
      length = end_of_class(rest);
    } else if (const size_t group = named_group(rest); group != 0) {
      length = group;
      written = "(";
    } else if (rest.starts_with("(?<") && !is_lookbehind(rest)) {
      length = 3;
      written = "(?P<";
    }
    out += written.empty() ? rest.substr(0, length) : written;
    at += length;
  }
  return out;
}

RE2::Options regex_options() {
  RE2::Options options;
  options.set_log_errors(false);
  // For the pattern and for what it remembers while it matches: 20,000 instructions. Programs keep
  // their patterns.
  options.set_max_mem(2 << 20);
  return options;
}

size_t compilation_steps(const RE2& pattern) {
  // Up to a microsecond each.
  constexpr size_t kStepsPerInstruction = 30;
  // Of a program that did not fit.
  constexpr size_t kMostInstructions = 32'000;
  constexpr size_t kLeast = 200;
  const int size = pattern.ProgramSize();
  const bool too_large = pattern.error_code() == RE2::ErrorPatternTooLarge;
  const size_t instructions =
      too_large ? kMostInstructions : static_cast<size_t>(std::max(size, 0));
  return kLeast + pattern.pattern().size() + instructions * kStepsPerInstruction;
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
  std::string part = whole ? std::string(text) : pattern.error_arg();
  // As the text has it, before go_pattern().
  if (part == regex_pattern::kNoEscape) part = "\\C";
  if (part.starts_with("(?P<") && text.find(part) == std::string_view::npos)
    part.replace(0, 4, "(?<");
  for (const regex_words::Words& words : regex_words::kWords) {
    if (words.code != pattern.error_code()) continue;
    return "error parsing regexp: " + std::string(words.go) + ": `" + part + "`";
  }
  return "error parsing regexp: " + pattern.error();
}

}  // namespace proa::cel
