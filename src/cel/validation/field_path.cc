#include "cel/validation/field_path.h"

#include <algorithm>

namespace proa::cel {
namespace field_paths {

// Delimiters, names between them and texts in single quotes.
std::string_view take_token(std::string_view& text) {
  if (text.empty()) return {};
  size_t size = std::min(text.find_first_of(".[]"), text.size());
  if (size == 0) size = 1;
  if (text.starts_with('\'')) {
    size = text.size();
    for (size_t i = 1; i < text.size(); ++i) {
      if (text[i] != '\'' || text[i - 1] == '\\') continue;
      size = i + 1;
      break;
    }
  }
  const std::string_view token = text.substr(0, size);
  text.remove_prefix(size);
  return token;
}

std::optional<std::string> unquoted(std::string_view token) {
  constexpr std::string_view kLetters = "abfnrtv'\\";
  constexpr std::string_view kMeaning = "\a\b\f\n\r\t\v'\\";
  if (token.size() < 2 || !token.starts_with('\'') || !token.ends_with('\'')) return std::nullopt;
  token = token.substr(1, token.size() - 2);
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\' || i + 1 == token.size()) {
      out += token[i];
      continue;
    }
    const size_t letter = kLetters.find(token[++i]);
    if (letter == std::string_view::npos) return std::nullopt;
    out += kMeaning[letter];
  }
  return out;
}

}  // namespace field_paths

std::nullopt_t FieldPathSteps::fail(std::string error) {
  error_ = std::move(error);
  rest_ = {};
  return std::nullopt;
}

// What follows "[".
std::optional<std::string> FieldPathSteps::quoted() {
  if (!brackets_) return fail("array notation is not allowed");
  if (rest_.empty()) return fail("unexpected end of JSON path");
  const std::string token(field_paths::take_token(rest_));
  std::optional<std::string> name = field_paths::unquoted(token);
  if (!name) return fail("expected single quoted string but got " + token);
  if (rest_.empty()) return fail("unexpected end of JSON path");
  const std::string_view closing = field_paths::take_token(rest_);
  if (closing != "]") return fail("expected ] but got " + std::string(closing));
  return name;
}

std::optional<std::string> FieldPathSteps::next() {
  if (rest_.empty()) return std::nullopt;
  const std::string_view delimiter = field_paths::take_token(rest_);
  if (delimiter == "[") return quoted();
  if (delimiter != ".") return fail("expected [ or . but got: " + std::string(delimiter));
  if (rest_.empty()) return fail("unexpected end of JSON path");
  return std::string(field_paths::take_token(rest_));
}

std::optional<std::string> normalized_field_path(std::string_view path, const Shape& shape) {
  const Shape* current = &shape;
  std::string out;
  FieldPathSteps steps(path);
  while (const std::optional<std::string> name = steps.next()) {
    if (current->has_properties) {
      const ShapeField* field = current->field(*name);
      if (field == nullptr) return std::nullopt;
      current = field->shape;
      out += (out.empty() ? "" : ".") + *name;
    } else if (current->kind == ShapeKind::kMap) {
      current = current->element;
      out += "[" + *name + "]";
    } else {
      return std::nullopt;
    }
  }
  if (!steps.error().empty()) return std::nullopt;
  return out;
}

}  // namespace proa::cel
