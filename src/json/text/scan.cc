#include "json/text/scan.h"

#include <algorithm>

namespace proa::json {

std::optional<Scan::Member> Scan::next_member() {
  if (!text_.empty() && text_.front() == ',') text_.remove_prefix(1);
  if (text_.empty() || text_.front() != '"') return std::nullopt;
  const size_t end = string_end(1);
  Member member{.key = text_.substr(1, end - 1), .value = {}};
  text_.remove_prefix(std::min(end + 2, text_.size()));  // its quote and the colon
  member.value = take_value();
  return member;
}

std::optional<std::string_view> Scan::next_item() {
  if (!text_.empty() && text_.front() == ',') text_.remove_prefix(1);
  if (text_.empty() || text_.front() == ']') return std::nullopt;
  return take_value();
}

std::string_view Scan::find(std::string_view object, std::string_view key) {
  Scan scan(object);
  while (const auto member = scan.next_member()) {
    if (member->key == key) return member->value;
  }
  return {};
}

std::string_view Scan::unquoted(std::string_view text) {
  return text.size() < 2 || text.front() != '"' ? std::string_view()
                                                : text.substr(1, text.size() - 2);
}

std::string_view Scan::take_value() {
  size_t at = 0;
  int depth = 0;
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == '"') {
      at = std::min(string_end(at + 1), text_.size() - 1);
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) break;
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
    ++at;
  }
  const std::string_view value = text_.substr(0, at);
  text_.remove_prefix(at);
  return value;
}

size_t Scan::string_end(size_t from) const {
  while (true) {
    const size_t quote = text_.find('"', from);
    if (quote == std::string_view::npos) return text_.size();
    size_t slashes = 0;
    while (quote - slashes > from && text_[quote - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) return quote;
    from = quote + 1;
  }
}

}  // namespace proa::json
