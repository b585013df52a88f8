#include "json/parse.h"

#include "base/check.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/threads/mutex.h"
#include "base/utf8.h"
#include "json/builder.h"
#include "json/text/count.h"

// Two parsers build the same tree. simdjson is fast, but accepts well-formed text only and cannot
// locate errors. Text that it rejects goes through Boost.JSON: malformed text, to find the offset
// of the error, and text that Go accepts although it is not quite well-formed.

namespace proa::json {
namespace parse_json {

namespace boost_json = boost::json;

// Whether the text may have a number that is written "-0", which simdjson reads as an integer: then
// it would lose its sign, and the text of a document would change each time it is read.
bool may_have_minus_zero(std::string_view text) {
  constexpr std::string_view kBefore = "[:, \t\r\n";
  constexpr std::string_view kAfter = ",]} \t\r\n";
  for (size_t at = text.find("-0"); at != std::string_view::npos; at = text.find("-0", at + 1)) {
    const bool begins = at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
    const bool ends = at + 2 == text.size() || kAfter.find(text[at + 2]) != std::string_view::npos;
    if (begins && ends) return true;
  }
  return false;
}

// The nearest double; nullopt if it would be infinite. Underflow gives zero.
std::optional<double> to_double(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && std::isfinite(number)) return number;
  // from_chars reports as out of range what strtod rounds to zero.
  number = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

std::string with_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8 next = decode_utf8(text);
    append_utf8(out, next.code);
    text.remove_prefix(next.size);
  }
  return out;
}

// The handler of Boost.JSON's parser.
class Handler {
 public:
  // No limits here: the builder's memory is proportional to the input, whose size is limited.
  static constexpr size_t max_object_size = static_cast<size_t>(-1);
  static constexpr size_t max_array_size = static_cast<size_t>(-1);
  static constexpr size_t max_key_size = static_cast<size_t>(-1);
  static constexpr size_t max_string_size = static_cast<size_t>(-1);

  explicit Handler(Builder& builder) : builder_(builder) {}

  bool on_document_begin(boost_json::error_code&) { return true; }
  bool on_document_end(boost_json::error_code&) { return true; }
  bool on_object_begin(boost_json::error_code&) { return begin(Kind::kObject); }
  bool on_object_end(size_t, boost_json::error_code&) { return end(); }
  bool on_array_begin(boost_json::error_code&) { return begin(Kind::kArray); }
  bool on_array_end(size_t, boost_json::error_code&) { return end(); }
  bool on_key_part(std::string_view part, size_t, boost_json::error_code&) { return keep(part); }
  bool on_key(std::string_view part, size_t, boost_json::error_code&) {
    builder_.key(finish(part));
    return true;
  }
  bool on_string_part(std::string_view part, size_t, boost_json::error_code&) { return keep(part); }
  bool on_string(std::string_view part, size_t, boost_json::error_code&) {
    return add(Value::borrowed(finish(part)));
  }
  bool on_number_part(std::string_view part, boost_json::error_code&) { return keep(part); }
  bool on_int64(int64_t number, std::string_view part, boost_json::error_code&) {
    parts_ += part;
    const bool minus_zero = number == 0 && parts_.starts_with('-');
    parts_.clear();
    return add(minus_zero ? Value::number(-0.0) : Value::integer(number));
  }
  bool on_uint64(uint64_t number, std::string_view, boost_json::error_code&) {
    parts_.clear();
    return add(Value::number(static_cast<double>(number)));
  }
  // Boost's double may be off by one bit; the text is exact.
  bool on_double(double, std::string_view part, boost_json::error_code& error) {
    parts_ += part;
    const auto number = to_double(parts_);
    parts_.clear();
    if (!number) {
      error = boost_json::error::exponent_overflow;
      return false;
    }
    return add(Value::number(*number));
  }
  bool on_bool(bool flag, boost_json::error_code&) { return add(Value::boolean(flag)); }
  bool on_null(boost_json::error_code&) { return add(Value()); }
  bool on_comment_part(std::string_view, boost_json::error_code&) { return true; }
  bool on_comment(std::string_view, boost_json::error_code&) { return true; }

 private:
  bool begin(Kind kind) {
    builder_.begin(kind);
    return true;
  }
  bool end() {
    builder_.end();
    return true;
  }
  bool add(Value value) {
    builder_.add(std::move(value));
    return true;
  }
  bool keep(std::string_view part) {
    parts_ += part;
    return true;
  }
  // The complete string, in the arena.
  std::string_view finish(std::string_view part) {
    if (parts_.empty() && is_utf8(part)) return builder_.arena().copy(part);
    parts_ += part;
    const std::string_view whole = builder_.arena().copy(with_valid_utf8(parts_));
    parts_.clear();
    return whole;
  }

  Builder& builder_;
  std::string parts_;
};

// Replaces unpaired surrogates ("\ud800") by "\ufffd", as Go reads them. Both have the same length,
// so offsets stay valid. Looks at escapes only, whether in a string or not: elsewhere a backslash
// is an error anyway.
std::string without_lone_surrogates(std::string_view text) {
  std::string out(text);
  const auto unit = [&](size_t at) -> int {
    int value = -1;
    if (at + 6 > out.size() || out[at] != '\\' || out[at + 1] != 'u') return -1;
    const auto [end, error] = std::from_chars(&out[at + 2], &out[at] + 6, value, 16);
    return error == std::errc() && end == &out[at] + 6 ? value : -1;
  };
  const auto is_high = [](int code) { return code >= 0xD800 && code < 0xDC00; };
  const auto is_low = [](int code) { return code >= 0xDC00 && code < 0xE000; };
  for (size_t at = out.find('\\'); at != std::string::npos; at = out.find('\\', at)) {
    const int code = unit(at);
    if (code < 0) {
      at += 2;
    } else if (is_high(code) && is_low(unit(at + 6))) {
      at += 12;
    } else {
      if (is_high(code) || is_low(code)) out.replace(at, 6, "\\ufffd");
      at += 6;
    }
  }
  return out;
}

std::string_view words_for(const boost_json::error_code& failure) {
  using boost_json::error;
  if (failure == error::incomplete) return "the text ends too early";
  if (failure == error::extra_data) return "trailing data after the value";
  if (failure == error::too_deep) return "nested too deeply";
  if (failure == error::exponent_overflow) return "number out of range";
  if (failure == error::expected_hex_digit) return "bad escape in a string";
  return "syntax error";
}

Result<Document> parse_exactly(std::string_view text, const ParseOptions& options) {
  const std::string repaired = without_lone_surrogates(text);
  Arena arena;
  Builder builder(arena, options.duplicates);
  boost_json::parse_options rules;
  rules.allow_invalid_utf8 = true;
  rules.max_depth = options.max_depth;
  boost_json::basic_parser<Handler> parser(rules, builder);
  boost_json::error_code error;
  const size_t read = parser.write_some(false, repaired.data(), repaired.size(), error);
  if (!error && read < repaired.size()) error = boost_json::error::extra_data;
  if (error) {
    return Status(Reason::kBadRequest,
                  fmt::format("invalid JSON at offset {}: {}", read, words_for(error)));
  }
  Value root = builder.take();
  return Document(std::move(arena), std::move(root));
}

// A simdjson parser with a copy of the text, beyond whose end simdjson may read.
struct Scratch {
  // One more than we allow: simdjson counts a scalar in the innermost array as a level.
  Scratch() { CHECK(parser.allocate(4096, kMaxDepth + 1) == simdjson::SUCCESS); }

  simdjson::dom::parser parser;
  std::string text;
};

// Parsers are large (14 bytes per byte of text), so all threads share a few.
class ScratchPool {
 public:
  std::unique_ptr<Scratch> take() {
    MutexLock lock(mutex_);
    if (idle_.empty()) return std::make_unique<Scratch>();
    auto scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
  }

  void give_back(std::unique_ptr<Scratch> scratch) {
    constexpr size_t kMaxIdle = 4;
    constexpr size_t kLargestText = size_t{128} * 1024;
    if (scratch->text.capacity() > kLargestText) return;
    MutexLock lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(scratch));
  }

  static ScratchPool& shared() {
    static auto* const pool = new ScratchPool;
    return *pool;
  }

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_ GUARDED_BY(mutex_);
};

// REQUIRES: no deeper than kMaxDepth.
void build(Builder& builder, const simdjson::dom::element& element) {
  using simdjson::dom::element_type;
  switch (element.type()) {
    case element_type::ARRAY:
      builder.begin(Kind::kArray);
      for (const auto item : simdjson::dom::array(element)) build(builder, item);
      return builder.end();
    case element_type::OBJECT:
      builder.begin(Kind::kObject);
      for (const auto field : simdjson::dom::object(element)) {
        builder.key(builder.arena().copy(field.key));
        build(builder, field.value);
      }
      return builder.end();
    case element_type::INT64:
      return builder.add(Value::integer(int64_t(element)));
    case element_type::UINT64:
      return builder.add(Value::number(static_cast<double>(uint64_t(element))));
    case element_type::DOUBLE:
      return builder.add(Value::number(double(element)));
    case element_type::STRING:
      return builder.add(Value::string(builder.arena(), std::string_view(element)));
    case element_type::BOOL:
      return builder.add(Value::boolean(bool(element)));
    case element_type::NULL_VALUE:
      return builder.add(Value());
  }
}

// Memory of a Kubernetes object's tree per byte of its text.
constexpr size_t kMemoryPerByte = 2;

// Nullopt if simdjson rejects it, for whatever reason.
std::optional<Document> parse_quickly(std::string_view text, const ParseOptions& options) {
  auto scratch = ScratchPool::shared().take();
  scratch->text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  scratch->text.assign(text);
  std::optional<Document> document;
  simdjson::dom::element root;
  if (scratch->parser.parse(scratch->text.data(), text.size(), false).get(root) ==
      simdjson::SUCCESS) {
    Arena arena(text.size() * kMemoryPerByte);
    Builder builder(arena, options.duplicates);
    build(builder, root);
    Value value = builder.take();
    if (builder.deepest() <= options.max_depth)
      document.emplace(std::move(arena), std::move(value));
  }
  ScratchPool::shared().give_back(std::move(scratch));
  return document;
}

// Rejects text with too many values: parsing takes up to 100 bytes for each, besides the tree.
Result<void> pay(std::string_view text, Budget& budget) {
  constexpr size_t kWorkingBytes = 4;  // for each byte of ordinary text
  budget.holds(text.size() * kWorkingBytes);
  TRY(budget.check());
  // A value has two bytes, with its comma: shorter texts need not be counted.
  if (text.size() / 2 < budget.values_left()) return {};
  budget.take_values(count_values(text, budget.values_left()));
  return budget.check();
}

}  // namespace parse_json

Result<Document> parse(std::string_view text, const ParseOptions& options) {
  CHECK(options.max_depth <= kMaxDepth);
  if (text.size() > options.max_size) {
    return Status(Reason::kRequestEntityTooLarge,
                  fmt::format("JSON text of {} bytes is longer than the limit of {}", text.size(),
                              options.max_size));
  }
  if (options.budget != nullptr) TRY(parse_json::pay(text, *options.budget));
  if (!parse_json::may_have_minus_zero(text)) {
    if (auto document = parse_json::parse_quickly(text, options)) return std::move(*document);
  }
  return parse_json::parse_exactly(text, options);
}

Document parse_literal(std::string_view text) {
  Result<Document> document = parse(text);
  CHECK(document.ok());
  return std::move(*document);
}

}  // namespace proa::json
