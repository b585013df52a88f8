#include "api/codec/json/go_errors.h"

#include <fmt/format.h>

#include "api/codec/base64.h"
#include "api/codec/json/field_path.h"
#include "api/codec/json/forms.h"
#include "base/strings.h"
#include "json/cursor.h"
#include "json/parse.h"

namespace proa::api {
namespace go_errors {

// Of the items of a list or map: "v1.FinalizerName" of "[]v1.FinalizerName". Empty: the usual name.
std::string_view item_name(std::string_view go_type) {
  if (go_type.starts_with("[]")) {
    go_type.remove_prefix(2);
  } else if (go_type.starts_with("map[")) {
    go_type.remove_prefix(go_type.find(']') + 1);
  } else {
    return {};
  }
  if (go_type.starts_with('*')) go_type.remove_prefix(1);
  return go_type;
}

bool is_integer(std::string_view number, const Type& type) {
  const std::optional<int64_t> value = parse_int(number);
  return value && (type.form != Form::kInt32 || *value == static_cast<int32_t>(*value));
}

bool is_numeric(Form form) {
  return form == Form::kInt32 || form == Form::kInt64 || form == Form::kDouble;
}

class Finder {
 public:
  explicit Finder(std::string_view text) : cursor_(text) {}

  std::optional<Status> find(const Type& type) {
    value({&type}, nullptr);
    return fatal_ ? fatal_ : first_;
  }

 private:
  // The expected value.
  struct Expected {
    const Type* type = nullptr;
    Shape shape = Shape::kSingle;
    std::string_view go_type = {};  // if it has a name of its own

    std::string name() const {
      if (!go_type.empty()) return std::string(go_type);
      const std::string item = api::go_type(*type);
      if (shape == Shape::kList) return "[]" + item;
      return shape == Shape::kMap ? "map[string]" + item : item;
    }
    Expected item() const { return {type, Shape::kSingle, item_name(go_type)}; }
  };

  // Each reads one value, and returns false once a fatal error was found.
  bool value(const Expected& expected, const FieldPath* path);
  bool list(const Expected& item, const FieldPath* path);
  bool map(const Expected& item, const FieldPath* path);
  bool message(const Type& type, const FieldPath* path);
  bool scalar(const Expected& expected, const FieldPath* path);
  bool bytes(const FieldPath* path);
  bool special(const Type& type, const FieldPath* path);
  bool schema_or(const Type& type, const FieldPath* path);

  // Skips the value.
  bool wrong_kind(std::string_view go_type, const FieldPath* path) {
    const bool numeric =
        go_type.starts_with("int") || go_type.starts_with("float") || go_type.starts_with("uint");
    return wrong_kind(go_type, path, numeric);
  }
  bool wrong_kind(std::string_view go_type, const FieldPath* path, bool numeric);
  void remember(Status error) {
    if (!first_) first_ = std::move(error);
  }

  json::Cursor cursor_;
  std::optional<Status> first_;
  std::optional<Status> fatal_;
};

std::string_view kind_at(char c) {
  switch (c) {
    case '{':
      return "object";
    case '[':
      return "array";
    case '"':
      return "string";
    case 't':
    case 'f':
      return "bool";
    default:
      return "number";
  }
}

bool Finder::wrong_kind(std::string_view go_type, const FieldPath* path, bool numeric) {
  std::string found(kind_at(cursor_.peek()));
  const std::string_view text = cursor_.skip();
  if (first_) return !cursor_.failed();
  if (numeric && found == "number") found.append(" ").append(text);
  const std::string where = path == nullptr ? std::string() : path->go_path();
  remember({Reason::kBadRequest,
            fmt::format("json: cannot unmarshal {} into Go {} of type {}", found,
                        where.empty() ? "value" : "struct field " + where, go_type)});
  return !cursor_.failed();
}

bool Finder::value(const Expected& expected, const FieldPath* path) {
  if (cursor_.null()) return true;
  const Type& type = *expected.type;
  const bool strings = expected.shape == Shape::kSingle && type.form == Form::kStrings;
  if (expected.shape == Shape::kList || strings) {
    if (cursor_.peek() != '[') return wrong_kind(expected.name(), path);
    return list(strings ? Expected{scalar_type("string")} : expected.item(), path);
  }
  if (expected.shape == Shape::kMap) {
    if (cursor_.peek() != '{') return wrong_kind(expected.name(), path);
    return map(expected.item(), path);
  }
  switch (type.form) {
    case Form::kMessage:
      if (cursor_.peek() != '{') return wrong_kind(expected.name(), path);
      return message(type, path);
    case Form::kAny:
    case Form::kRaw:
    case Form::kJson:
      cursor_.skip();
      return !cursor_.failed();
    case Form::kBytes:
      return bytes(path);
    case Form::kSchemaOrList:
    case Form::kSchemaOrBool:
    case Form::kSchemaOrStrings:
      return schema_or(type, path);
    case Form::kString:
    case Form::kBool:
    case Form::kInt32:
    case Form::kInt64:
    case Form::kDouble:
      return scalar(expected, path);
    default:
      return special(type, path);
  }
}

bool Finder::list(const Expected& item, const FieldPath* path) {
  cursor_.enter_array();
  while (cursor_.next_item()) {
    if (!value(item, path)) return false;
  }
  return !cursor_.failed();
}

bool Finder::map(const Expected& item, const FieldPath* path) {
  cursor_.enter_object();
  while (cursor_.next_member()) {
    if (!value(item, path)) return false;
  }
  return !cursor_.failed();
}

bool Finder::message(const Type& type, const FieldPath* path) {
  cursor_.enter_object();
  size_t next = 0;
  while (cursor_.next_member()) {
    const std::optional<std::string> key = json::unescape(cursor_.key());
    const Field* field = key ? type.find(*key, next) : nullptr;
    if (field == nullptr) {
      cursor_.skip();
      continue;
    }
    next = type.index_of(*field) + 1;
    const FieldPath step{path, &type, field->name};
    const std::string_view name = field->rules == nullptr ? "" : field->rules->go_type;
    if (!value({field->type, field->shape, name}, &step)) return false;
  }
  return !cursor_.failed();
}

bool Finder::scalar(const Expected& expected, const FieldPath* path) {
  const std::string_view kind = kind_at(cursor_.peek());
  const Type& type = *expected.type;
  const bool numeric = is_numeric(type.form);
  if (kind == "number" && numeric && type.form != Form::kDouble) {
    // A copy of the cursor, since a number that does not fit is part of the message.
    json::Cursor ahead = cursor_;
    const auto number = ahead.number();
    if (!number || !is_integer(*number, type)) return wrong_kind(expected.name(), path, true);
  } else {
    const bool fits = type.form == Form::kString ? kind == "string"
                      : type.form == Form::kBool ? kind == "bool"
                                                 : kind == "number";
    if (!fits) return wrong_kind(expected.name(), path, numeric);
  }
  cursor_.skip();
  return !cursor_.failed();
}

bool Finder::bytes(const FieldPath* path) {
  if (cursor_.peek() == '[') {
    cursor_.enter_array();
    while (cursor_.next_item()) {
      json::Cursor ahead = cursor_;
      const auto number = ahead.number();
      const auto value = number ? parse_uint(*number) : std::nullopt;
      if (cursor_.null()) continue;
      if (value && *value <= 255) {
        cursor_.skip();
      } else if (!wrong_kind("uint8", path)) {
        return false;
      }
    }
    return !cursor_.failed();
  }
  const auto raw = cursor_.string();
  if (!raw) return wrong_kind("[]uint8", path);
  const std::optional<std::string> text = json::unescape(*raw);
  if (const Result<std::string> read = read_base64(text ? *text : ""); !read)
    remember(read.status());
  return true;
}

bool Finder::special(const Type& type, const FieldPath* path) {
  Result<json::Document> parsed = json::parse(cursor_.skip());
  if (!parsed) return false;
  const Result<json::Value> read =
      normalise_form(parsed->arena(), type, std::move(parsed->root()), path);
  if (read) return true;
  fatal_ = read.status();
  return false;
}

bool Finder::schema_or(const Type& type, const FieldPath* path) {
  const char first = cursor_.peek();
  if (first == '{') return message(*type.element, path);
  if (first == '[' && type.form != Form::kSchemaOrBool) {
    const bool schemas = type.form == Form::kSchemaOrList;
    return list({schemas ? type.element : scalar_type("string")}, path);
  }
  const std::string_view text = cursor_.skip();
  if (type.form != Form::kSchemaOrBool || text == "true" || text == "false") return true;
  fatal_ = Status(Reason::kBadRequest, "boolean or JSON schema expected");
  return false;
}

}  // namespace go_errors

std::optional<Status> find_decode_error(std::string_view text, const Type& type) {
  return go_errors::Finder(text).find(type);
}

}  // namespace proa::api
