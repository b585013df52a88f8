#include "api/typed/decode.h"

#include <charconv>
#include <cmath>

#include "base/strings.h"
#include "json/parse.h"

namespace proa::api {

bool FieldInput::mismatch(std::string_view expected) {
  if (!cursor_.failed()) expected_ = expected;
  return false;
}

bool FieldInput::string(std::string_view expected, std::string& into) {
  const std::optional<std::string_view> raw = cursor_.string();
  if (!raw) return mismatch(expected);
  std::optional<std::string> text = json::unescape(*raw);
  if (!text) return mismatch("a string without malformed escapes");
  into = std::move(*text);
  return true;
}

const FieldEntry* FieldInput::find(const FieldTable& table, size_t& guess) {
  const std::string_view key = cursor_.key();
  const FieldEntry* found = nullptr;
  if (key.find('\\') == std::string_view::npos) {
    found = table.find(key, guess);
  } else if (const std::optional<std::string> name = json::unescape(key)) {
    found = table.find(*name, guess);
  }
  if (found != nullptr) guess = static_cast<size_t>(found - table.entries.data()) + 1;
  return found;
}

bool FieldInput::members(const FieldTable& table, void* into) {
  if (!cursor_.enter_object()) return mismatch("an object");
  size_t guess = 0;
  while (cursor_.next_member()) {
    const FieldEntry* entry = find(table, guess);
    if (entry == nullptr) {
      cursor_.skip();
    } else if (!cursor_.null() && !entry->read(*this, into)) {
      path_ = path_.empty() ? std::string(entry->name) : std::string(entry->name) + "." + path_;
      return false;
    }
  }
  return !cursor_.failed();
}

Status FieldInput::problem() const {
  if (expected_.empty()) {
    return {Reason::kInvalid, "malformed JSON at offset " + std::to_string(cursor_.offset())};
  }
  const std::string where = path_.empty() ? "" : path_ + ": ";
  return {Reason::kInvalid, where + "expected " + std::string(expected_)};
}

namespace typed {

bool ValueOf<bool>::read(FieldInput& input, bool& into) {
  const std::optional<bool> flag = input.cursor().boolean();
  if (!flag) return input.mismatch("true or false");
  into = *flag;
  return true;
}

bool ValueOf<int64_t>::read(FieldInput& input, int64_t& into) {
  const std::optional<std::string_view> text = input.cursor().number();
  const std::optional<int64_t> number = text ? parse_int(*text) : std::nullopt;
  if (!number) return input.mismatch("an integer");
  into = *number;
  return true;
}

bool ValueOf<double>::read(FieldInput& input, double& into) {
  const std::optional<std::string_view> text = input.cursor().number();
  if (!text) return input.mismatch("a number");
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(number)) {
    return input.mismatch("a number");
  }
  into = number;
  return true;
}

bool ValueOf<std::string>::read(FieldInput& input, std::string& into) {
  return input.string("a string", into);
}

bool ValueOf<std::string_view>::read(FieldInput& input, std::string_view& into) {
  const std::optional<std::string_view> text = input.cursor().string();
  if (!text) return input.mismatch("a string");
  into = *text;
  return true;
}

bool ValueOf<std::optional<Time>>::read(FieldInput& input, std::optional<Time>& into) {
  // No time has escapes, so the text is not copied.
  const std::optional<std::string_view> text = input.cursor().string();
  if (!text) return input.mismatch("a time");
  const Result<Time> time = parse_time(*text);
  into = time ? std::optional(*time) : std::nullopt;
  return true;
}

bool ValueOf<Time>::read(FieldInput& input, Time& into) {
  std::optional<Time> time;
  if (!ValueOf<std::optional<Time>>::read(input, time)) return false;
  if (time) into = *time;
  return true;
}

bool ValueOf<Duration>::read(FieldInput& input, Duration& into) {
  std::string text;
  if (!input.string("a duration", text)) return false;
  const Result<Duration> duration = parse_duration(text);
  if (!duration) return input.mismatch("a duration");
  into = *duration;
  return true;
}

bool ValueOf<Quantity>::read(FieldInput& input, Quantity& into) {
  // Upstream's decoder takes numbers, too.
  std::string text;
  if (const std::optional<std::string_view> number = input.cursor().number()) {
    text = *number;
  } else if (!input.string("a quantity", text)) {
    return false;
  }
  const Result<Quantity> quantity = Quantity::parse(text);
  if (!quantity) return input.mismatch("a quantity");
  into = *quantity;
  return true;
}

bool ValueOf<IntOrString>::read(FieldInput& input, IntOrString& into) {
  if (input.cursor().peek() == '"') {
    return input.string("an integer or a string", into.value.emplace<std::string>());
  }
  return ValueOf<int64_t>::read(input, into.value.emplace<int64_t>(0)) ||
         input.mismatch("an integer or a string");
}

bool ValueOf<LabelSelector>::read(FieldInput& input, LabelSelector& into) {
  const Result<json::Document> part = json::parse(input.cursor().skip());
  if (!part) return input.mismatch("a label selector");
  Result<LabelSelector> selector = LabelSelector::from(part->root());
  into = selector ? std::move(*selector) : LabelSelector::nothing();
  return true;
}

bool ValueOf<MapSelector>::read(FieldInput& input, MapSelector& into) {
  const Result<json::Document> part = json::parse(input.cursor().skip());
  if (!part || !part->root().is(json::Kind::kObject)) return input.mismatch("a map of labels");
  into.selector = LabelSelector::from_map(part->root());
  return true;
}

bool ValueOf<RawJson>::read(FieldInput& input, RawJson& into) {
  into.text = input.cursor().skip();
  return !input.cursor().failed();
}

bool ValueOf<Presence>::read(FieldInput& input, Presence& into) {
  input.cursor().skip();
  into.is_set = true;
  return !input.cursor().failed();
}

Result<void> decode(std::string_view json, const FieldTable& table, void* into) {
  FieldInput input(json);
  if (!input.members(table, into)) return input.problem();
  return {};
}

}  // namespace typed
}  // namespace proa::api
