#include "json/yaml_print.h"

#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "json/yaml_scalar.h"

namespace proa::json {
namespace yaml_print {

using MemberPtr = const Member*;

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }

// Other scripts count as letters: their digits and symbols are rare in keys.
bool is_letter(char32_t c) { return (c | 0x20) - 'a' < 26 || c >= 0x80; }

std::u32string code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const Utf8 found = decode_utf8(text);
    points += found.code;
    text.remove_prefix(std::max<size_t>(found.size, 1));
  }
  return points;
}

// The digits from `at` on, and where they end; overflows wrap, as in Go.
struct Number {
  uint64_t value = 0;
  size_t end = 0;
};

Number read_number(std::u32string_view text, size_t at, uint64_t value) {
  for (; at < text.size() && is_digit(text[at]); ++at) value = value * 10 + (text[at] - '0');
  return {value, at};
}

// Whether the digits right before `at` are more than leading zeros.
bool continues_number(std::u32string_view text, size_t at) {
  while (at > 0 && is_digit(text[at - 1])) {
    if (text[--at] != '0') return true;
  }
  return false;
}

bool differs_less(std::u32string_view a, std::u32string_view b, size_t at) {
  const bool a_letter = is_letter(a[at]);
  const bool b_letter = is_letter(b[at]);
  if (a_letter && b_letter) return a[at] < b[at];
  if (a_letter || b_letter) return b_letter;
  const bool zero = a[at] == '0' || b[at] == '0';
  const uint64_t before = zero && continues_number(a, at) ? 1 : 0;
  const Number an = read_number(a, at, before);
  const Number bn = read_number(b, at, before);
  if (an.value != bn.value) return static_cast<int64_t>(an.value) < static_cast<int64_t>(bn.value);
  if (an.end != bn.end) return an.end < bn.end;
  return a[at] < b[at];
}

// "a2" is before "a10", and what is not a letter before letters.
bool key_less(std::u32string_view a, std::u32string_view b) {
  const auto [left, right] = std::ranges::mismatch(a, b);
  if (left == a.end() || right == b.end()) return a.size() < b.size();
  return differs_less(a, b, static_cast<size_t>(left - a.begin()));
}

std::vector<MemberPtr> sorted_members(const Value& object) {
  std::vector<std::pair<std::u32string, MemberPtr>> keyed;
  keyed.reserve(object.size());
  for (const Member& member : object.members()) {
    keyed.emplace_back(code_points(member.key), &member);
  }
  // A merge sort: it tolerates whatever order the wrapped numbers have.
  std::ranges::stable_sort(keyed, key_less,
                           [](const auto& each) { return std::u32string_view(each.first); });
  std::vector<MemberPtr> members;
  members.reserve(keyed.size());
  for (const auto& each : keyed) members.push_back(each.second);
  return members;
}

// Reads from the front of a text what a pattern wants.
class Scan {
 public:
  explicit Scan(std::string_view text) : rest_(text) {}
  // A number of digits within the limits.
  bool digits(size_t least, size_t most) {
    size_t count = 0;
    while (count < most && count < rest_.size() && is_digit(rest_[count])) ++count;
    rest_.remove_prefix(count);
    return count >= least;
  }
  bool one_of(std::string_view letters) {
    if (rest_.empty() || letters.find(rest_[0]) == letters.npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// What go-yaml reads as a time: "2001-12-14", "2001-12-14T21:59:43.10-05:00".
bool is_timestamp(std::string_view text) {
  Scan scan(text);
  const bool is_date = text.size() > 4 && text[4] == '-' && scan.digits(4, 4) && scan.one_of("-") &&
                       scan.digits(1, 2) && scan.one_of("-") && scan.digits(1, 2);
  if (!is_date || scan.at_end()) return is_date;
  const bool zoned = !scan.rest().starts_with(' ');
  const bool is_time = scan.one_of("Tt ") && scan.digits(1, 2) && scan.one_of(":") &&
                       scan.digits(1, 2) && scan.one_of(":") && scan.digits(1, 2);
  if (!is_time) return false;
  if (scan.one_of(".") && !scan.digits(1, text.size())) return false;
  if (!zoned) return scan.at_end();
  if (scan.one_of("Z")) return scan.at_end();
  return scan.one_of("+-") && scan.digits(2, 2) && scan.one_of(":") && scan.digits(2, 2) &&
         scan.at_end();
}

// "190:20:30", a number to other readers of YAML.
bool is_base60(std::string_view text) {
  Scan scan(text);
  scan.one_of("+-");
  if (!scan.digits(1, 1)) return false;
  while (scan.digits(1, 1) || scan.one_of("_")) {
  }
  size_t groups = 0;
  for (; scan.one_of(":"); ++groups) {
    const std::string_view group = scan.rest();
    const size_t length = group.size() > 1 && is_digit(group[1]) ? 2 : 1;
    if (length == 2 && group[0] > '5') return false;
    if (!scan.digits(length, length)) return false;
  }
  if (groups == 0) return false;
  if (scan.one_of(".")) {
    while (scan.digits(1, 1) || scan.one_of("_")) {
    }
  }
  return scan.at_end();
}

// Whether readers would take it for something else without quotes.
bool needs_quotes(std::string_view text) {
  if (is_timestamp(text) || is_base60(text)) return true;
  const Result<Value> read = resolve_yaml_scalar(text);
  return !read || !read->is(Kind::kString);
}

// The shortest digits, as Go's format 'g' shows them.
std::string number_text(double number) {
  char text[32];
  const auto scientific =
      std::to_chars(text, text + sizeof text, number, std::chars_format::scientific);
  std::string shown(text, scientific.ptr);
  const int exponent = std::atoi(shown.c_str() + shown.find('e') + 1);
  if (exponent < -4 || exponent >= 6) return shown;
  const auto fixed = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed);
  return {text, fixed.ptr};
}

class Printer {
 public:
  explicit Printer(size_t max_bytes) : max_bytes_(max_bytes) {
    CHECK(yaml_emitter_initialize(&emitter_) == 1);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_output(&emitter_, write, this);
  }
  ~Printer() { yaml_emitter_delete(&emitter_); }
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  std::optional<std::string> print(const Value& value) {
    yaml_event_t event;
    const bool printed =
        emit(event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING)) &&
        emit(event, yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1)) &&
        node(value) && emit(event, yaml_document_end_event_initialize(&event, 1)) &&
        emit(event, yaml_stream_end_event_initialize(&event));
    if (!printed) return std::nullopt;
    // libyaml ends a document whose last text keeps its line ends; go-yaml does not.
    if (out_.ends_with("\n...\n")) out_.resize(out_.size() - 4);
    return std::move(out_);
  }

 private:
  static int write(void* self, unsigned char* bytes, size_t size) {
    Printer& printer = *static_cast<Printer*>(self);
    if (printer.out_.size() + size > printer.max_bytes_) return 0;
    printer.out_.append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  // The emitter takes the event.
  bool emit(yaml_event_t& event, int initialized) {
    CHECK(initialized == 1);
    return yaml_emitter_emit(&emitter_, &event) == 1;
  }

  bool scalar(std::string_view text, yaml_scalar_style_t style) {
    yaml_event_t event;
    const auto* bytes = reinterpret_cast<const yaml_char_t*>(text.empty() ? "" : text.data());
    return emit(event, yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes,
                                                    static_cast<int>(text.size()), 1, 1, style));
  }

  bool string(std::string_view text) {
    if (text.find('\n') != text.npos) return scalar(text, YAML_LITERAL_SCALAR_STYLE);
    return scalar(text,
                  needs_quotes(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE);
  }

  bool key(std::string_view text) {
    // Without quotes it would merge the value into this object.
    if (text == "<<") return scalar(text, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    return string(text);
  }

  bool array(const Value& value) {
    yaml_event_t event;
    if (!emit(event, yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1,
                                                          YAML_BLOCK_SEQUENCE_STYLE))) {
      return false;
    }
    for (const Value& item : value.items()) {
      if (!node(item)) return false;
    }
    return emit(event, yaml_sequence_end_event_initialize(&event));
  }

  bool object(const Value& value) {
    yaml_event_t event;
    if (!emit(event, yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1,
                                                         YAML_BLOCK_MAPPING_STYLE))) {
      return false;
    }
    for (const MemberPtr member : sorted_members(value)) {
      if (!key(member->key) || !node(member->value)) return false;
    }
    return emit(event, yaml_mapping_end_event_initialize(&event));
  }

  // As deep as documents are: kMaxDepth.
  bool node(const Value& value) {
    switch (value.kind()) {
      case Kind::kNull:
        return scalar("null", YAML_PLAIN_SCALAR_STYLE);
      case Kind::kBool:
        return scalar(value.as_bool() ? "true" : "false", YAML_PLAIN_SCALAR_STYLE);
      case Kind::kInt:
        return scalar(std::to_string(value.as_int()), YAML_PLAIN_SCALAR_STYLE);
      case Kind::kDouble:
        return scalar(number_text(value.as_double()), YAML_PLAIN_SCALAR_STYLE);
      case Kind::kString:
        return string(value.as_string());
      case Kind::kArray:
        return array(value);
      case Kind::kObject:
        return object(value);
    }
    return false;
  }

  yaml_emitter_t emitter_{};
  const size_t max_bytes_;
  std::string out_;
};

}  // namespace yaml_print

std::optional<std::string> print_yaml(const Value& value, size_t max_bytes) {
  return yaml_print::Printer(max_bytes).print(value);
}

}  // namespace proa::json
