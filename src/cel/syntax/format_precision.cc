#include "cel/syntax/format_precision.h"

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::cel {

std::optional<std::string> read_precision(std::string_view& text,
                                          std::optional<int64_t>& precision) {
  constexpr std::string_view kWhere =
      "could not parse formatting clause: error while parsing precision: ";
  if (!text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const size_t end = text.find_first_not_of("0123456789");
  if (end == std::string_view::npos) {
    return std::string(kWhere) + "could not find end of precision specifier";
  }
  const std::string_view digits = text.substr(0, end);
  const std::optional<int64_t> number = parse_int(digits);
  if (!number) {
    return std::string(kWhere) +
           "error while converting precision to integer: strconv.Atoi: parsing " +
           api::quoted(digits) + (digits.empty() ? ": invalid syntax" : ": value out of range");
  }
  precision = number;
  text.remove_prefix(end);
  return std::nullopt;
}

}  // namespace proa::cel
