#include "api/codec/json/strict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/text/seeded_hash.h"
#include "json/parse.h"

namespace proa::api {
namespace strict {

// As many as upstream reports.
constexpr size_t kMost = 100;
// Each problem may name a path as long as the text.
constexpr size_t kMostBytes = size_t{64} << 10;
// With those that are reported already.
constexpr size_t kMostWorded = size_t{8} << 20;

// As Go's strconv.Quote, for what occurs in field names.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Scans JSON text that is known to be valid.
class Scanner {
 public:
  Scanner(std::string_view text) : text_(text) {}

  std::vector<std::string> scan(const Type& type) {
    value({&type, Shape::kSingle});
    return std::move(problems_);
  }

 private:
  // The expected type; null: not checked inside, or if `any`, only for duplicates.
  struct Expected {
    const Type* type = nullptr;
    Shape shape = Shape::kSingle;
    bool any = false;
  };

  char peek() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void value(const Expected& expected) {
    switch (peek()) {
      case '{':
        return full() ? skip() : object(expected);
      case '[':
        return full() ? skip() : array(expected);
      default:
        return skip();
    }
  }

  // Skips one value of any kind.
  void skip() {
    size_t depth = 0;
    do {
      const char c = peek();
      if (c == '\0') return;
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
      }
    } while (depth > 0);
  }

  // With its quotes.
  std::string_view string() {
    const size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(start, at_ - start);
  }

  std::string key() {
    const std::string_view token = string();
    const auto parsed = json::parse(token);
    return parsed.ok() ? std::string(parsed->root().as_string()) : std::string(token);
  }

  void array(const Expected& expected) {
    if (expected.shape != Shape::kList && !expected.any) return skip();
    const size_t length = path_.size();
    ++at_;
    for (size_t index = 0; peek() != ']' && peek() != '\0'; ++index) {
      path_ += fmt::format("[{}]", index);
      value({expected.type, Shape::kSingle, expected.any});
      path_.resize(length);
      if (peek() == ',') ++at_;
    }
    ++at_;
  }

  // Of a member; `field`: null if the type has none of that name.
  static Expected inside(const Expected& object, const Field* field) {
    if (object.any) return object;
    if (object.shape == Shape::kMap) return {object.type, Shape::kSingle};
    if (field == nullptr) return {nullptr, Shape::kSingle, object.type->open};
    return {field->type, field->shape};
  }

  void object(const Expected& expected) {
    const bool map = expected.shape == Shape::kMap;
    const bool message =
        expected.shape == Shape::kSingle && expected.type != nullptr && expected.type->is_message();
    if (!map && !message && !expected.any) return skip();
    const size_t length = path_.size();
    std::unordered_set<std::string, SeededHash> seen;
    ++at_;
    while (peek() == '"') {
      const std::string name = key();
      if (peek() == ':') ++at_;
      const Field* field = message ? expected.type->find(name) : nullptr;
      if (path_.size() > 0) path_ += '.';
      path_ += name;
      if (message && field == nullptr && !expected.type->open) {
        report("unknown field");
      } else if (!seen.insert(name).second) {
        report("duplicate field");
      }
      value(inside(expected, field));
      path_.resize(length);
      if (peek() == ',') ++at_;
    }
    ++at_;
  }

  bool full() const {
    return problems_.size() >= kMost || bytes_ >= kMostBytes || worded_ >= kMostWorded;
  }

  void report(std::string_view what) {
    if (full()) return;
    std::string problem = fmt::format("{} {}", what, quoted(path_));
    worded_ += problem.size();
    if (!known_.insert(problem).second) return;
    bytes_ += problem.size();
    problems_.push_back(std::move(problem));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string path_;
  std::set<std::string> known_;
  std::vector<std::string> problems_;
  size_t bytes_ = 0;   // of the problems
  size_t worded_ = 0;  // bytes, with repetitions
};

}  // namespace strict

std::vector<std::string> find_strict_problems(std::string_view text, const Type& type) {
  return strict::Scanner(text).scan(type);
}

}  // namespace proa::api
