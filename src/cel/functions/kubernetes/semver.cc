#include <optional>
#include <string>
#include <vector>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "cel/functions/tables.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_semver {

struct Version {
  uint64_t numbers[3] = {};  // major, minor, patch
  std::vector<std::string_view> prerelease;
  std::string_view text;
};

bool only_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}
bool is_identifier(std::string_view text) {
  for (const char c : text) {
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-') {
      return false;
    }
  }
  return true;
}

// The words of github.com/blang/semver; empty: fine.
std::string number_error(std::string_view text, std::string_view name, uint64_t& number) {
  std::string capital(name);
  capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
  if (!only_digits(text)) {
    return "Invalid character(s) found in " + std::string(name) + " number " + api::quoted(text);
  }
  if (text.size() > 1 && text[0] == '0') {
    return capital + " number must not contain leading zeroes " + api::quoted(text);
  }
  const std::optional<uint64_t> parsed = parse_uint(text);
  if (!parsed) {
    return "strconv.ParseUint: parsing " + api::quoted(text) +
           (text.empty() ? ": invalid syntax" : ": value out of range");
  }
  number = *parsed;
  return {};
}

std::string prerelease_error(std::string_view part) {
  if (part.empty()) return "Prerelease is empty";
  if (only_digits(part)) {
    if (part.size() == 1 || part[0] != '0') return {};
    return "Numeric PreRelease version must not contain leading zeroes " + api::quoted(part);
  }
  if (is_identifier(part)) return {};
  return "Invalid character(s) found in prerelease " + api::quoted(part);
}

std::string build_error(std::string_view part) {
  if (part.empty()) return "Build meta data is empty";
  if (is_identifier(part)) return {};
  return "Invalid character(s) found in build meta data " + api::quoted(part);
}

std::string parse(std::string_view text, Version& version) {
  if (text.empty()) return "Version string empty";
  const size_t first = text.find('.');
  const size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return "No Major.Minor.Patch elements found";
  version.text = text;
  std::string error = number_error(text.substr(0, first), "major", version.numbers[0]);
  if (!error.empty()) return error;
  error = number_error(text.substr(first + 1, second - first - 1), "minor", version.numbers[1]);
  if (!error.empty()) return error;
  std::string_view patch = text.substr(second + 1);
  std::vector<std::string_view> build;
  if (const size_t plus = patch.find('+'); plus != std::string_view::npos) {
    build = split(patch.substr(plus + 1), '.');
    patch = patch.substr(0, plus);
  }
  if (const size_t dash = patch.find('-'); dash != std::string_view::npos) {
    version.prerelease = split(patch.substr(dash + 1), '.');
    patch = patch.substr(0, dash);
  }
  error = number_error(patch, "patch", version.numbers[2]);
  for (const std::string_view part : version.prerelease) {
    if (error.empty()) error = prerelease_error(part);
  }
  for (const std::string_view part : build) {
    if (error.empty()) error = build_error(part);
  }
  return error;
}

int compare_parts(std::string_view a, std::string_view b) {
  const bool a_number = only_digits(a);
  const bool b_number = only_digits(b);
  if (a_number != b_number) return a_number ? -1 : 1;
  if (a_number && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a < b ? -1 : (a > b ? 1 : 0);
}

int compare_versions(const Version& a, const Version& b) {
  for (int i = 0; i < 3; ++i) {
    if (a.numbers[i] != b.numbers[i]) return a.numbers[i] < b.numbers[i] ? -1 : 1;
  }
  if (a.prerelease.empty() != b.prerelease.empty()) return a.prerelease.empty() ? 1 : -1;
  const size_t common = std::min(a.prerelease.size(), b.prerelease.size());
  for (size_t i = 0; i < common; ++i) {
    if (const int order = compare_parts(a.prerelease[i], b.prerelease[i]); order != 0) return order;
  }
  if (a.prerelease.size() == b.prerelease.size()) return 0;
  return a.prerelease.size() < b.prerelease.size() ? -1 : 1;
}

// Without "v" and leading zeros, and with three numbers. An error text, or empty.
std::string normalize(std::string_view text, std::string& out) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (int i = 0; i < 2; ++i) {
    const size_t dot = text.find('.');
    if (dot == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.emplace_back(text);
  for (std::string& part : parts) {
    if (part.size() < 2) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || part[0] < '0' || part[0] > '9') part = "0" + part;
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return "short version cannot contain PreRelease/Build meta data";
  }
  while (parts.size() < 3) parts.emplace_back("0");
  out = join(parts, ".");
  return {};
}

// A version is its text, which was parsed before.
class SemverValue final : public Opaque {
 public:
  explicit SemverValue(std::string_view text) : Opaque(kSemverType), text_(text) {}
  Version version() const {
    Version version;
    parse(text_, version);
    return version;
  }
  bool equals(const Opaque& other) const override {
    return compare_versions(version(), static_cast<const SemverValue&>(other).version()) == 0;
  }
  std::string print() const override { return std::string(text_); }

 private:
  std::string_view text_;
};

Version get(const Value& value) {
  return static_cast<const SemverValue*>(value.as_opaque())->version();
}

Value make(Context& context, std::string_view text) {
  Version version;
  const std::string error = parse(text, version);
  return error.empty() ? context.opaque<SemverValue>(context.arena().copy(text))
                       : context.error(error);
}
Value to_semver(Context& context, std::span<const Value> args) {
  return make(context, args[0].text());
}
Value to_normalized(Context& context, std::span<const Value> args) {
  if (!args[1].as_bool()) return make(context, args[0].text());
  std::string text;
  const std::string error = normalize(args[0].text(), text);
  return error.empty() ? make(context, text) : context.error(error);
}
Value is_semver(Context& context, std::span<const Value> args) {
  return Value::boolean(!to_semver(context, args).is_error());
}
Value is_normalized(Context& context, std::span<const Value> args) {
  return Value::boolean(!to_normalized(context, args).is_error());
}
Value is_greater(Context&, std::span<const Value> args) {
  return Value::boolean(compare_versions(get(args[0]), get(args[1])) > 0);
}
Value is_less(Context&, std::span<const Value> args) {
  return Value::boolean(compare_versions(get(args[0]), get(args[1])) < 0);
}
Value compare_to(Context&, std::span<const Value> args) {
  return Value::integer(compare_versions(get(args[0]), get(args[1])));
}
template <int kIndex>
Value number(Context&, std::span<const Value> args) {
  return Value::integer(static_cast<int64_t>(get(args[0]).numbers[kIndex]));
}

#define PROA_CEL_SEMVER "kubernetes.Semver"

constexpr FunctionRow kRows[] = {
    {"semver", "string_to_semver", "(string) -> " PROA_CEL_SEMVER, to_semver},
    {"semver", "string_bool_to_semver", "(string, bool) -> " PROA_CEL_SEMVER, to_normalized},
    {"isSemver", "is_semver_string", "(string) -> bool", is_semver},
    {"isSemver", "is_semver_string_bool", "(string, bool) -> bool", is_normalized},
    {"isGreaterThan", "semver_is_greater_than", PROA_CEL_SEMVER ".(" PROA_CEL_SEMVER ") -> bool",
     is_greater},
    {"isLessThan", "semver_is_less_than", PROA_CEL_SEMVER ".(" PROA_CEL_SEMVER ") -> bool",
     is_less},
    {"compareTo", "semver_compare_to", PROA_CEL_SEMVER ".(" PROA_CEL_SEMVER ") -> int", compare_to},
    {"major", "semver_major", PROA_CEL_SEMVER ".() -> int", number<0>},
    {"minor", "semver_minor", PROA_CEL_SEMVER ".() -> int", number<1>},
    {"patch", "semver_patch", PROA_CEL_SEMVER ".() -> int", number<2>},
};

}  // namespace kubernetes_semver

Value make_semver(Context& context, std::string_view text) {
  return kubernetes_semver::make(context, text);
}

std::span<const FunctionRow> kubernetes_semver_rows() { return kubernetes_semver::kRows; }

}  // namespace proa::cel
