#include "json/patch/pointer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace proa::json {
namespace pointer {

std::optional<std::string> unescape(std::string_view token) {
  std::string key;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      key += token[i];
      continue;
    }
    ++i;
    if (i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    key += token[i] == '0' ? '~' : '/';
  }
  return key;
}

const Value* step(const Value& value, std::string_view token) {
  if (value.is(Kind::kObject)) return value.find(token);
  const auto index = parse_index(token);
  if (!index || *index >= value.items().size()) return nullptr;
  return &value.items()[*index];
}

}  // namespace pointer

Result<Pointer> Pointer::parse(std::string_view text) {
  Pointer result;
  if (text.empty()) return result;
  if (!text.starts_with('/')) {
    return Status(Reason::kBadRequest,
                  fmt::format("JSON pointer \"{}\" does not begin with /", text));
  }
  for (const std::string_view token : split(text.substr(1), '/')) {
    auto key = pointer::unescape(token);
    if (!key) {
      return Status(Reason::kBadRequest,
                    fmt::format("JSON pointer \"{}\" has a ~ that is neither ~0 nor ~1", text));
    }
    result.tokens_.push_back(std::move(*key));
  }
  return result;
}

std::string Pointer::str() const {
  std::string text;
  for (const auto& token : tokens_) text += '/' + escape_token(token);
  return text;
}

bool Pointer::contains(const Pointer& other) const {
  return tokens_.size() <= other.tokens_.size() &&
         std::equal(tokens_.begin(), tokens_.end(), other.tokens_.begin());
}

const Value* Pointer::find(const Value& root) const {
  const Value* value = &root;
  for (const auto& token : tokens_) {
    value = pointer::step(*value, token);
    if (value == nullptr) return nullptr;
  }
  return value;
}

Value* Pointer::find(Value& root) const {
  return const_cast<Value*>(find(static_cast<const Value&>(root)));  // NOLINT: root is not const
}

std::optional<size_t> parse_index(std::string_view token) {
  if (token.size() > 1 && token.starts_with('0')) return std::nullopt;
  return parse_uint(token);
}

std::string escape_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

}  // namespace proa::json
