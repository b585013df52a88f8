#include "dns/message/name.h"

#include <cstring>

namespace proa::dns {
namespace name {

bool same_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (std::memcmp(a.data(), b.data(), a.size()) == 0) return true;
  // Lengths of labels are below 64, so they are no letters.
  for (size_t i = 0; i < a.size(); ++i) {
    if (lower_byte(static_cast<uint8_t>(a[i])) != lower_byte(static_cast<uint8_t>(b[i]))) {
      return false;
    }
  }
  return true;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One character of a label, from \. and \065 too. Nullopt if the escape is not complete.
std::optional<char> take_character(std::string_view& text) {
  const char first = text.front();
  text.remove_prefix(1);
  if (first != '\\') return first;
  if (text.empty()) return std::nullopt;
  if (!is_digit(text.front())) {
    const char escaped = text.front();
    text.remove_prefix(1);
    return escaped;
  }
  if (text.size() < 3 || !is_digit(text[1]) || !is_digit(text[2])) return std::nullopt;
  const int number = (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
  if (number > 0xff) return std::nullopt;
  text.remove_prefix(3);
  return static_cast<char>(number);
}

void print_label(std::string_view label, std::string& out) {
  for (const char c : label) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte >= 0x7f) {
      out += '\\';
      out += static_cast<char>('0' + byte / 100);
      out += static_cast<char>('0' + byte / 10 % 10);
      out += static_cast<char>('0' + byte % 10);
      continue;
    }
    if (std::string_view(".\\\"();@$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
}

}  // namespace name

size_t NameView::labels() const {
  size_t count = 0;
  for (NameView rest = *this; !rest.is_root(); rest = rest.parent()) ++count;
  return count;
}

bool NameView::within(NameView zone) const {
  NameView rest = *this;
  while (rest.size() > zone.size()) rest = rest.parent();
  return rest == zone;
}

std::string NameView::str() const {
  if (is_root()) return ".";
  std::string text;
  for (NameView rest = *this; !rest.is_root(); rest = rest.parent()) {
    name::print_label(rest.label(), text);
    text += '.';
  }
  return text;
}

bool NameView::operator==(NameView other) const {
  return name::same_ignoring_case(wire_, other.wire_);
}

std::optional<Name> Name::parse(std::string_view text) {
  Name result;
  if (text.empty()) return std::nullopt;
  if (text == ".") return result;
  std::string label;
  while (!text.empty()) {
    if (text.front() == '.') {
      text.remove_prefix(1);
      if (!result.append(label)) return std::nullopt;
      label.clear();
      continue;
    }
    const auto character = name::take_character(text);
    if (!character) return std::nullopt;
    label += *character;
    if (label.size() > kMostLabel) return std::nullopt;
  }
  if (!label.empty() && !result.append(label)) return std::nullopt;
  return result;
}

void Name::assign(NameView name) {
  size_ = static_cast<uint8_t>(name.size());
  // The name may be a part of this one.
  std::memmove(bytes_.data(), name.wire().data(), name.size());
}

bool Name::append(std::string_view label) {
  if (label.empty() || label.size() > kMostLabel) return false;
  if (size_ + label.size() + 1 > kMostName) return false;
  bytes_[size_ - 1U] = static_cast<uint8_t>(label.size());
  std::memcpy(bytes_.data() + size_, label.data(), label.size());
  size_ = static_cast<uint8_t>(size_ + label.size() + 1);
  bytes_[size_ - 1U] = 0;
  return true;
}

bool Name::append(NameView name) {
  if (size_ - 1U + name.size() > kMostName) return false;
  std::memmove(bytes_.data() + size_ - 1, name.wire().data(), name.size());
  size_ = static_cast<uint8_t>(size_ - 1U + name.size());
  return true;
}

void Name::lower() {
  for (size_t i = 0; i < size_; ++i) bytes_[i] = lower_byte(bytes_[i]);
}

uint64_t hash_name(NameView name, uint64_t seed) {
  // FNV-1a, and a last round so that the low bits depend on all of the bytes.
  uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (const char c : name.wire()) {
    hash = (hash ^ lower_byte(static_cast<uint8_t>(c))) * 0x100000001b3ULL;
  }
  hash ^= hash >> 32;
  return hash * 0x9e3779b97f4a7c15ULL;
}

}  // namespace proa::dns
