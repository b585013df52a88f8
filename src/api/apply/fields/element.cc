#include "api/apply/fields/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "api/validation/go_text.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace element {

using json::Kind;
using json::Member;
using json::Value;
using std::strong_ordering;

// Ranks of kinds; integers and other numbers are compared with each other.
int rank(const Value& value) {
  switch (value.kind()) {
    case Kind::kInt:
    case Kind::kDouble:
      return 0;
    case Kind::kString:
      return 1;
    case Kind::kBool:
      return 2;
    case Kind::kArray:
      return 3;
    case Kind::kObject:
      return 4;
    case Kind::kNull:
      break;
  }
  return 5;
}

strong_ordering compare_numbers(const Value& one, const Value& other) {
  if (one.is(Kind::kInt) && other.is(Kind::kInt)) return one.as_int() <=> other.as_int();
  const double left = one.as_double();
  const double right = other.as_double();
  if (left < right) return strong_ordering::less;
  return left > right ? strong_ordering::greater : strong_ordering::equal;
}

std::vector<const Member*> sorted_members(const Value& object) {
  std::vector<const Member*> sorted;
  for (const Member& member : object.members()) sorted.push_back(&member);
  std::ranges::sort(sorted, {}, &Member::key);
  return sorted;
}

// As upstream's MapCompareUsing: keys of either map in order, the first difference decides.
strong_ordering compare_maps(const Value& one, const Value& other) {
  const auto left = sorted_members(one);
  const auto right = sorted_members(other);
  for (size_t i = 0; i < left.size() || i < right.size(); ++i) {
    if (i == left.size()) return strong_ordering::less;
    if (i == right.size()) return strong_ordering::greater;
    // The smaller key is missing in the other map, which makes its own map the smaller one.
    if (const auto order = left[i]->key <=> right[i]->key; order != 0) return order;
    if (const auto order = compare_values(left[i]->value, right[i]->value); order != 0)
      return order;
  }
  return strong_ordering::equal;
}

strong_ordering compare_keys(std::span<const Element::KeyField> one,
                             std::span<const Element::KeyField> other) {
  for (size_t i = 0; i < one.size() && i < other.size(); ++i) {
    if (const auto order = one[i].name <=> other[i].name; order != 0) return order;
    if (const auto order = compare_values(*one[i].value, *other[i].value); order != 0) return order;
  }
  return one.size() <=> other.size();
}

// As upstream's value.ToString.
void append_value(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kString:
      out += quoted(value.as_string());
      return;
    case Kind::kArray: {
      out += '[';
      for (size_t i = 0; i < value.items().size(); ++i) {
        if (i > 0) out += ',';
        append_value(out, value.items()[i]);
      }
      out += ']';
      return;
    }
    case Kind::kObject:
      for (const Member* member : sorted_members(value)) {
        out.append(member->key) += '=';
        append_value(out, member->value);
      }
      return;
    default:
      json::print_to(out, value);
  }
}

Status malformed(std::string_view text, std::string_view why) {
  constexpr size_t kMaxShown = 256;
  return Status(Reason::kBadRequest, fmt::format("parsing {} as path element: {}",
                                                 quoted(text.substr(0, kMaxShown)), why));
}

Value* keep_value(json::Arena& arena, Value value) {
  return new (arena.allocate(sizeof(Value), alignof(Value))) Value(std::move(value));
}

// A text that starts with a plain string or integer, as nearly all do: what is left of it, or
// nothing if it needs a parser.
std::optional<std::string_view> read_plain_string(std::string_view text, std::string_view& found) {
  if (!text.starts_with('"')) return std::nullopt;
  const size_t end = text.find_first_of("\"\\", 1);
  if (end == std::string_view::npos || text[end] == '\\') return std::nullopt;
  found = text.substr(1, end - 1);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (std::ranges::any_of(found, is_control)) return std::nullopt;
  return text.substr(end + 1);
}

std::optional<std::string_view> read_plain_scalar(std::string_view text, Value& found) {
  std::string_view string;
  if (const auto rest = read_plain_string(text, string)) {
    found = Value::borrowed(string);
    return rest;
  }
  // At most 15 digits: exact as int64 and as double. Zero in front needs a parser's judgement.
  constexpr size_t kMostDigits = 15;
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > kMostDigits || (digits > 1 && text[0] == '0')) return std::nullopt;
  if (digits < text.size() && std::string_view(".eE").find(text[digits]) != std::string_view::npos)
    return std::nullopt;
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  found = Value::integer(number);
  return text.substr(digits);
}

Result<const Value*> read_value(std::string_view text, json::Arena& arena) {
  Value plain;
  const auto rest = read_plain_scalar(text, plain);
  if (rest && rest->empty()) return keep_value(arena, std::move(plain));
  const Result<json::Document> parsed = json::parse(text);
  if (!parsed) return malformed(text, parsed.status().message());
  return keep_value(arena, parsed->root().copy(arena));
}

// `{"containerPort":80,"protocol":"TCP"}`, if all of it is plain and sorted.
bool read_plain_key(std::string_view text, std::vector<Element::KeyField>& fields,
                    json::Arena& arena) {
  if (!text.starts_with('{')) return false;
  text.remove_prefix(1);
  while (true) {
    Element::KeyField field{};
    auto rest = read_plain_string(text, field.name);
    if (!rest || !rest->starts_with(':')) return false;
    if (!fields.empty() && fields.back().name >= field.name) return false;
    Value value;
    rest = read_plain_scalar(rest->substr(1), value);
    if (!rest) return false;
    field.value = keep_value(arena, std::move(value));
    fields.push_back(field);
    if (*rest == "}") return true;
    if (!rest->starts_with(',')) return false;
    text = rest->substr(1);
  }
}

Result<Element> read_key(std::string_view text, json::Arena& arena) {
  std::vector<Element::KeyField> fields;
  if (!read_plain_key(text, fields, arena)) {
    fields.clear();
    const Result<json::Document> parsed = json::parse(text);
    if (!parsed) return malformed(text, parsed.status().message());
    if (!parsed->root().is(Kind::kObject)) return malformed(text, "keys must be an object");
    for (const Member& member : parsed->root().members())
      fields.push_back({arena.copy(member.key), keep_value(arena, member.value.copy(arena))});
    std::ranges::sort(fields, {}, &Element::KeyField::name);
  }
  return Element::key(keep_key(fields, arena));
}

}  // namespace element

std::span<const Element::KeyField> keep_key(std::span<const Element::KeyField> fields,
                                            json::Arena& arena) {
  if (fields.empty()) return {};
  auto* place = static_cast<Element::KeyField*>(
      arena.allocate(fields.size_bytes(), alignof(Element::KeyField)));
  std::uninitialized_copy(fields.begin(), fields.end(), place);
  return {place, fields.size()};
}

Element Element::field(std::string_view name) {
  Element element;
  element.size_ = static_cast<uint32_t>(name.size());
  element.content_.name = name.data();
  return element;
}

Element Element::key(std::span<const KeyField> fields) {
  Element element;
  element.kind_ = Kind::kKey;
  element.size_ = static_cast<uint32_t>(fields.size());
  element.content_.key = fields.data();
  return element;
}

Element Element::value(const json::Value& value) {
  Element element;
  element.kind_ = Kind::kValue;
  element.content_.value = &value;
  return element;
}

Element Element::index(int64_t position) {
  Element element;
  element.kind_ = Kind::kIndex;
  element.content_.position = position;
  return element;
}

std::strong_ordering Element::operator<=>(const Element& other) const {
  if (kind_ != other.kind_) return kind_ <=> other.kind_;
  switch (kind_) {
    case Kind::kField:
      return name() <=> other.name();
    case Kind::kKey:
      return element::compare_keys(key_fields(), other.key_fields());
    case Kind::kValue:
      return compare_values(item(), other.item());
    case Kind::kIndex:
      break;
  }
  return position() <=> other.position();
}

void Element::print_to(std::string& out) const {
  switch (kind_) {
    case Kind::kField:
      out.append("f:").append(name());
      return;
    case Kind::kKey: {
      out += "k:{";
      bool first = true;
      for (const KeyField& field : key_fields()) {
        if (!std::exchange(first, false)) out += ',';
        json::print_string_to(out, field.name);
        out += ':';
        json::print_to(out, *field.value);
      }
      out += '}';
      return;
    }
    case Kind::kValue:
      out += "v:";
      json::print_to(out, item());
      return;
    case Kind::kIndex:
      out.append("i:").append(std::to_string(position()));
  }
}

void Element::append_to(std::string& path) const {
  switch (kind_) {
    case Kind::kField:
      path.append(".").append(name());
      return;
    case Kind::kKey: {
      path += '[';
      bool first = true;
      for (const KeyField& field : key_fields()) {
        if (!std::exchange(first, false)) path += ',';
        path.append(field.name) += '=';
        element::append_value(path, *field.value);
      }
      path += ']';
      return;
    }
    case Kind::kValue:
      path += "[=";
      element::append_value(path, item());
      path += ']';
      return;
    case Kind::kIndex:
      path += fmt::format("[{}]", position());
  }
}

Result<std::optional<Element>> parse_element(std::string_view text, json::Arena& arena) {
  if (text.size() < 2) return element::malformed(text, "key must be 2 characters long:");
  if (text[1] != ':') return element::malformed(text, "missing colon");
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f':
      return std::optional(Element::field(rest));
    case 'v': {
      const json::Value* value = TRY(element::read_value(rest, arena));
      return std::optional(Element::value(*value));
    }
    case 'k': {
      const Element key = TRY(element::read_key(rest, arena));
      return std::optional(key);
    }
    case 'i': {
      int64_t position = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), position);
      if (error != std::errc() || end != rest.data() + rest.size() || rest.empty())
        return element::malformed(text, "invalid index");
      return std::optional(Element::index(position));
    }
    default:
      return std::optional<Element>();
  }
}

std::strong_ordering compare_values(const json::Value& one, const json::Value& other) {
  const int left = element::rank(one);
  const int right = element::rank(other);
  if (left != right) return left <=> right;
  switch (one.kind()) {
    case json::Kind::kInt:
    case json::Kind::kDouble:
      return element::compare_numbers(one, other);
    case json::Kind::kString:
      return one.as_string() <=> other.as_string();
    case json::Kind::kBool:
      return one.as_bool() <=> other.as_bool();
    case json::Kind::kArray: {
      const auto items = one.items();
      const auto others = other.items();
      for (size_t i = 0; i < items.size() && i < others.size(); ++i) {
        if (const auto order = compare_values(items[i], others[i]); order != 0) return order;
      }
      return items.size() <=> others.size();
    }
    case json::Kind::kObject:
      return element::compare_maps(one, other);
    case json::Kind::kNull:
      break;
  }
  return std::strong_ordering::equal;
}

}  // namespace proa::api
