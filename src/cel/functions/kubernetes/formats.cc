#include "cel/values/formats.h"
#include "api/validation/names.h"
#include "cel/functions/kubernetes/go_url.h"
#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_formats {

using api::Problems;

struct Format {
  std::string_view name;   // as expressions write it
  std::string_view title;  // two formats are the same if their titles are
  Problems (*check)(std::string_view text);
  uint64_t pattern_size;  // of the pattern that upstream would use; the cost depends on it
};

template <api::NameCheck kCheck>
Problems prefix(std::string_view text) {
  return api::check_generate_name(kCheck, text);
}

Problems unless(bool valid, std::string_view problem) {
  return valid ? Problems() : Problems{std::string(problem)};
}

Problems check_uri(std::string_view text) {
  std::string error;
  const bool valid = parse_url(text, true, error).has_value();
  return unless(valid, error);
}

// Hexadecimal digits in five groups; dashes between them may be missing.
Problems check_uuid(std::string_view text) {
  constexpr size_t kGroups[] = {8, 4, 4, 4, 12};
  bool valid = true;
  for (const size_t size : kGroups) {
    if (size != kGroups[0] && text.starts_with('-')) text.remove_prefix(1);
    const std::string_view digits = text.substr(0, size);
    valid = valid && digits.size() == size &&
            digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    text.remove_prefix(digits.size());
  }
  return unless(valid && text.empty(), "does not match the UUID format");
}

// Groups of four characters, one at least; the last may be padded.
Problems check_bytes(std::string_view text) {
  const size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  const std::string_view digits = text.substr(0, text.size() - padding);
  const bool valid = !text.empty() && text.size() % 4 == 0 &&
                     digits.find_first_not_of(
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") ==
                         std::string_view::npos;
  return unless(valid, "invalid base64");
}

Problems check_date(std::string_view text) { return unless(is_date(text), "invalid date"); }
Problems check_date_time(std::string_view text) {
  return unless(is_date_time(text), "invalid datetime");
}

constexpr Format kFormats[] = {
    {"dns1123Label", "DNS1123Label", api::check_dns1123_label, 30},
    {"dns1123Subdomain", "DNS1123Subdomain", api::check_dns1123_subdomain, 60},
    {"dns1035Label", "DNS1035Label", api::check_dns1035_label, 30},
    {"qualifiedName", "QualifiedName", api::check_qualified_name, 60},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", prefix<api::check_dns1123_label>, 30},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", prefix<api::check_dns1123_subdomain>, 60},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", prefix<api::check_dns1035_label>, 30},
    {"labelValue", "LabelValue", api::check_label_value, 40},
    {"uri", "URI", check_uri, 1103},
    {"uuid", "uuid", check_uuid, 70},
    {"byte", "byte", check_bytes, 84},
    {"date", "date", check_date, 71},
    {"datetime", "datetime", check_date_time, 71},
};

class FormatValue final : public Opaque {
 public:
  explicit FormatValue(const Format& value) : Opaque(kFormatType), format(value) {}
  bool equals(const Opaque& other) const override {
    return format.title == static_cast<const FormatValue&>(other).format.title;
  }
  std::string print() const override { return std::string(format.title); }
  uint64_t pattern_size() const override { return format.pattern_size; }

  const Format& format;
};

template <size_t kIndex>
Value constant(Context& context, std::span<const Value>) {
  return context.opaque<FormatValue>(kFormats[kIndex]);
}

Value named(Context& context, std::span<const Value> args) {
  for (const Format& format : kFormats) {
    if (format.name != args[0].text()) continue;
    return make_optional(context.arena(), context.opaque<FormatValue>(format));
  }
  return Value::none();
}

// What is wrong with a text; none if nothing is.
Value validate(Context& context, std::span<const Value> args) {
  const Format& format = static_cast<const FormatValue*>(args[0].as_opaque())->format;
  const Problems problems = format.check(args[1].text());
  if (problems.empty()) return Value::none();
  std::span<Value> items;
  const Value list = make_list(context.arena(), static_cast<uint32_t>(problems.size()), items);
  for (size_t i = 0; i < problems.size(); ++i) items[i] = context.string(problems[i]);
  return make_optional(context.arena(), list);
}

#define PROA_CEL_FORMAT "kubernetes.NamedFormat"
#define PROA_CEL_FORMAT_ROW(name, index) \
  { "format." name, "format." name, "() -> " PROA_CEL_FORMAT, constant<index> }

constexpr FunctionRow kRows[] = {
    {"format.named", "format-named", "(string) -> optional_type(" PROA_CEL_FORMAT ")", named},
    {"validate", "format-validate", PROA_CEL_FORMAT ".(string) -> optional_type(list(string))",
     validate},
    PROA_CEL_FORMAT_ROW("dns1123Label", 0),
    PROA_CEL_FORMAT_ROW("dns1123Subdomain", 1),
    PROA_CEL_FORMAT_ROW("dns1035Label", 2),
    PROA_CEL_FORMAT_ROW("qualifiedName", 3),
    PROA_CEL_FORMAT_ROW("dns1123LabelPrefix", 4),
    PROA_CEL_FORMAT_ROW("dns1123SubdomainPrefix", 5),
    PROA_CEL_FORMAT_ROW("dns1035LabelPrefix", 6),
    PROA_CEL_FORMAT_ROW("labelValue", 7),
    PROA_CEL_FORMAT_ROW("uri", 8),
    PROA_CEL_FORMAT_ROW("uuid", 9),
    PROA_CEL_FORMAT_ROW("byte", 10),
    PROA_CEL_FORMAT_ROW("date", 11),
    PROA_CEL_FORMAT_ROW("datetime", 12),
};

}  // namespace kubernetes_formats

std::span<const FunctionRow> kubernetes_format_rows() { return kubernetes_formats::kRows; }

}  // namespace proa::cel
