#include "custom/checks/words.h"

#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "custom/decode/show.h"

namespace proa::custom {
namespace words {

// Errors of the object itself, and of additional members of it, have no dot in front.
std::string field_of(std::string path) {
  if (path.starts_with('.')) path.erase(0, 1);
  return path;
}

std::string counted(int64_t number, std::string_view unit) {
  return fmt::format("{} {}{}", number, unit, number == 1 ? "" : "s");
}

}  // namespace words

SchemaError wrong_type(const Step& at, std::string_view wanted, std::string_view found) {
  std::string path = at.checked_path();
  std::string message =
      fmt::format("{} in body must be of type {}: {}", path, wanted, api::quoted(found));
  return {.reason = "FieldValueTypeInvalid",
          .field = words::field_of(std::move(path)),
          .body = fmt::format("Invalid value: {}: {}", api::quoted(found), message),
          .message = message};
}

SchemaError invalid(const Step& at, std::string value, std::string_view what) {
  std::string path = at.checked_path();
  std::string message = path + std::string(what);
  return {.field = words::field_of(std::move(path)),
          .body = fmt::format("Invalid value: {}: {}", value, message),
          .message = message};
}

SchemaError composite(std::string message) {
  return {.field = {},
          .body = fmt::format("Invalid value: \"\": {}", message),
          .message = std::move(message)};
}

SchemaError missing(const Step& at, std::string_view name) {
  std::string path = at.checked_path() + "." + std::string(name);
  std::string message = path + " in body is required";
  return {.reason = "FieldValueRequired",
          .field = words::field_of(std::move(path)),
          .body = "Required value",
          .message = std::move(message)};
}

SchemaError too_long(const Step& at, int64_t most) {
  std::string path = at.checked_path();
  std::string message = fmt::format("{} in body should be at most {} chars long", path, most);
  return {.reason = "FieldValueTooLong",
          .field = words::field_of(std::move(path)),
          .body = most < 0 ? "Too long: value is too long"
                           : "Too long: may not be more than " + words::counted(most, "byte"),
          .message = std::move(message)};
}

SchemaError too_many(const Step& at, size_t found, int64_t most, std::string_view unit) {
  std::string path = at.checked_path();
  std::string message = fmt::format("{} in body should have at most {} {}", path, most, unit);
  std::string body = fmt::format("Too many: {}: ", found);
  body += most < 0 ? "has too many items" : "must have at most " + words::counted(most, "item");
  return {.reason = "FieldValueTooMany",
          .field = words::field_of(std::move(path)),
          .body = std::move(body),
          .message = std::move(message)};
}

SchemaError not_supported(const Step& at, const json::Value& value,
                          std::span<const json::Value> choices) {
  std::string path = at.checked_path();
  std::string supported;
  for (const json::Value& choice : choices) {
    if (!supported.empty()) supported += ", ";
    supported += choice.is(json::Kind::kString) ? api::quoted(choice.as_string())
                                                : api::quoted(sorted_json(choice));
  }
  std::string message = path + " in body should be one of " + supported;
  return {
      .reason = "FieldValueNotSupported",
      .field = words::field_of(std::move(path)),
      .body = fmt::format("Unsupported value: {}: supported values: {}", shown(value), supported),
      .message = std::move(message)};
}

}  // namespace proa::custom
